import { describe, expect, it } from "vitest";
import { contentOf } from "./content";
import { csv, toCsv } from "./csv";

const pixel = [255, 0, 0];
const square = <T>(side: number, value: T): T[][] =>
  Array.from({ length: side }, () => Array.from({ length: side }, () => value));

describe("contentOf", () => {
  it.each([
    ["a number", 3, "scalar"],
    ["not a number", { $type: "float", value: "NaN" }, "scalar"],
    ["a large integer", { $type: "int", value: "123456789012345678901" }, "scalar"],
    ["a flat object", { pi: 3.14, at: "2024-02-29", max: { $type: "float", value: "Infinity" } }, "cards"],
    ["records", [{ a: 1 }, { a: 2 }], "table"],
    ["nested records", [{ a: { b: 1 } }], "table"],
    ["a data frame", { $type: "table", columns: { a: [1, 2] } }, "table"],
    ["texts", ["a", "b"], "table"],
    ["an empty list", [], "tree"],
    ["numbers", [1, 2, 3], "line"],
    ["numbers with a gap", { $type: "float", value: [1, "NaN", 3] }, "line"],
    ["points", { x: [1, 2, 3], y: [1, 4, 9] }, "line"],
    ["records of points", [1, 2, 3].map((x) => ({ x, y: x * x })), "line"],
    [
      "a matrix",
      [
        [1, 2],
        [3, 4],
      ],
      "matrix",
    ],
    ["an array of pixels", square(8, pixel), "pixels"],
    ["a small array with three axes", square(2, pixel), "parts"],
    ["a long array with three axes", square(40, [1, 2, 3, 4, 5]), "tree"],
    ["a figure", { data: [{ y: [1] }], layout: {} }, "plot"],
    ["a Plotly figure", { $type: "plotly", figure: { data: [], layout: {} } }, "plot"],
    [
      "a Vega-Lite chart",
      { $schema: "https://vega.github.io/schema/vega-lite/v6.json", mark: "bar" },
      "vega",
    ],
    ["a picture", "data:image/png;base64,AAAA", "medium"],
    ["bytes", { $type: "bytes", media_type: "video/mp4", artifact: "result.mp4" }, "medium"],
    ["pictures", ["data:image/png;base64,AAAA", "data:image/png;base64,BBBB"], "gallery"],
    ["yielded texts", { $type: "stream", items: ["one ", "two"] }, "text"],
    ["yielded records", { $type: "stream", items: [{ a: 1 }] }, "table"],
    ["nothing yielded", { $type: "stream", items: [] }, "tree"],
    ["a file", { $type: "file", artifact: "a.csv" }, "file"],
    ["a text", "hello", "text"],
    ["an address", "https://example.org/a?b=c", "link"],
    ["an address of a script", "javascript:alert(1)", "text"],
    ["a text with headings", "# Report\n\nfine", "markdown"],
    ["a text with maths", "$$x^2$$", "markdown"],
    ["markdown by name", { markdown: "*hi*" }, "markdown"],
    ["a page", "<!DOCTYPE html><p>hi", "html"],
    ["atoms", { $type: "atoms", text: "1\n\nH 0 0 0", formula: "H" }, "atoms"],
    ["something unknown", { $type: "repr", text: "<x>", note: "why" }, "repr"],
    ["an object with a table inside", { words: 2, table: [{ a: 1 }] }, "parts"],
    ["a data URL that is not an image", "data:text/html,<script>", "text"],
    ["an unknown envelope", { $type: "spaceship" }, "tree"],
    ["a malformed envelope", { $type: "table", columns: 3 }, "tree"],
  ])("%s", (_, value, kind) => {
    expect(contentOf(value).kind).toBe(kind);
  });

  it("ends on a value that is very deep", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 200; depth++) deep = { a: deep, b: [{ c: 1 }] };
    expect(contentOf(deep).kind).toBe("parts");
  });
});

describe("csv", () => {
  it("is read with quotes", () => {
    expect(csv('name,text\r\nada,"a, ""b""\nc"\r\nbob,\r\n')).toEqual([
      { name: "ada", text: 'a, "b"\nc' },
      { name: "bob", text: "" },
    ]);
  });

  it("is read with tabs", () => {
    expect(csv("a\tb\n1\t2\n", "\t")).toEqual([{ a: "1", b: "2" }]);
  });

  it("is written so that it can be read, and holds no formula", () => {
    const text = toCsv(
      ["a", "b"],
      [
        ['x,"y"', Number.NaN],
        ["=1+1", -2],
      ],
    );
    expect(text).toBe('a,b\r\n"x,""y""",NaN\r\n\'=1+1,-2\r\n');
    expect(csv(text)[0]).toEqual({ a: 'x,"y"', b: "NaN" });
  });
});
