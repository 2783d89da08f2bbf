import { expect, test } from "vitest";
import { resultSummary } from "./resultSummary";

const PNG = "data:image/png;base64,AAAA";

test.each([
  [42, "42"],
  [Math.PI, "3.14159"],
  [true, "True"],
  ["# Report\n\nAll is **well**.", "Report"],
  ["\n\n  plain text  ", "plain text"],
  [{ energy: -1.5, steps: 12 }, "energy -1.5 · steps 12"],
  [{ a: 1, b: 2, c: 3, d: 4, e: 5 }, "a 1 · b 2 · c 3 · d 4"],
  [{ deep: { deeper: 1 }, list: [1] }, "deep, list"],
  [{ gap: { $type: "float", value: "NaN" } }, "gap NaN"],
  [{ data: [{ y: [1] }], layout: {} }, "plot"],
  [[1, 2, 3], "3 numbers"],
  [[[1, 2], [3, 4]], "2 × 2"], // biome-ignore format: one line
  [[{ name: "ada" }], "1 row"],
  [[], "0 items"],
  [{ $type: "table", columns: { a: [1, 2], b: [3, 4] } }, "2 rows, 2 columns"],
  [{ $type: "file", artifact: "notes.txt", media_type: "text/plain", size: 1200 }, "notes.txt, 1.2 kB"],
  [{ $type: "stream", items: [{ epoch: 1 }, { epoch: 2 }] }, "2 rows"],
  [{ $type: "atoms", text: "…", formula: "Cu4" }, "Cu4"],
  [{ $type: "markdown", text: "## Title" }, "Title"],
  [{ $type: "repr", class: "X", text: "<X at 0x7f>", note: "" }, "<X at 0x7f>"],
  [{ $type: "html", text: "<p>hi</p>" }, "HTML"],
  [
    { artifact: "result.json", media_type: "application/json", size: 2_000_000, sha256: "x" },
    "2.0 MB of JSON",
  ],
])("%j is summed up as %s", (result, text) => {
  expect(resultSummary(result)).toEqual({ text });
});

test("images are shown", () => {
  expect(resultSummary(PNG)).toEqual({ text: "image", image: { url: PNG } });
  expect(resultSummary({ loss: 0.5, plot: PNG })).toEqual({ text: "loss 0.5", image: { url: PNG } });
  expect(resultSummary([PNG, PNG])).toEqual({ text: "2 images", image: { url: PNG } });
  const file = { $type: "bytes", artifact: "plot.png", media_type: "image/png", size: 50_000 };
  expect(resultSummary(file)?.image).toEqual({ artifact: "plot.png" });
  expect(resultSummary({ ...file, size: 50_000_000 })?.image).toBeUndefined();
});

test("no result has no summary, and a long one is shortened", () => {
  expect(resultSummary(null)).toBeNull();
  expect(resultSummary("x".repeat(5000))?.text).toHaveLength(121);
});
