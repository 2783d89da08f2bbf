import { describe, expect, test } from "vitest";
import { contentOf } from "@/components/results/content";
import { labelsOf } from "./labels";
import { isReadable, linesOf, shortened } from "./lines";
import { overlaid } from "./overlay";
import { partsOf } from "./parts";

const differing = (...documents: unknown[]) =>
  linesOf(documents)
    .filter((line) => line.differs)
    .map((line) => line.path);

describe("lines", () => {
  test("only differences are marked, at any depth, and come first", () => {
    const left = { samples: 10, where: { box: [1, 2] }, name: "a" };
    const right = { samples: 10, where: { box: [1, 3] }, name: "b" };
    expect(linesOf([left, right, left]).map((line) => line.path)).toEqual([
      "where.box.1",
      "name",
      "samples",
      "where.box.0",
    ]);
    expect(differing(left, right)).toEqual(["where.box.1", "name"]);
  });

  test("a value that only some have is a difference", () => {
    expect(differing({ a: 1 }, { b: 1 })).toEqual(["a", "b"]);
    expect(differing({ a: null }, {})).toEqual(["a"]);
    expect(differing({ a: [] }, { a: {} })).toEqual(["a"]);
  });

  test("plain values are compared too", () => {
    expect(linesOf([3, 4])).toEqual([{ path: "", values: [3, 4], differs: true }]);
    expect(differing("same", "same")).toEqual([]);
  });

  test("of many lines the first are shown, those that differ before the others", () => {
    const values = Array.from({ length: 20_000 }, (_, index) => index);
    const { shown, more } = shortened(linesOf([values, values.with(19_999, 0)]));
    expect(shown).toHaveLength(60);
    expect(shown[0]).toEqual({ path: "19999", values: [19_999, 0], differs: true });
    expect(more).toBe(19_940);
    expect(shortened(linesOf([{ a: 1 }, { a: 2 }])).more).toBe(0);
  });

  test("long tables and images are not readable", () => {
    expect(isReadable(linesOf([{ a: 1 }, { a: 2 }]))).toBe(true);
    expect(isReadable(linesOf([Array.from({ length: 500 }, Number), []]))).toBe(false);
    expect(isReadable(linesOf(["data:image/png;".padEnd(900, "x"), ""]))).toBe(false);
  });
});

describe("labels", () => {
  const jobs = (...values: object[]) => values.map((data) => ({ name: "Smooth", data: { ...data } }));

  test("are the values that differ", () => {
    expect(labelsOf(jobs({ window: 3, seed: 1 }, { window: 5, seed: 1 }))).toEqual(["window 3", "window 5"]);
    expect(labelsOf(jobs({ a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 }))).toEqual([
      "a 1, b 1",
      "a 2, b 1",
      "a 1, b 2",
    ]);
  });

  test("are the names that people gave", () => {
    const named = { name: "Smooth", data: { window: 3 }, annotation: { name: "The best" } };
    expect(labelsOf([named, ...jobs({ window: 5 })])).toEqual(["The best", "window 5"]);
  });

  test("are unique, by numbers if they must", () => {
    expect(labelsOf(jobs({ a: 1 }, { a: 1 }))).toEqual(["Smooth (1)", "Smooth (2)"]);
    expect(labelsOf(jobs({ a: 1 }, { a: 2 }, { a: 1 }))).toEqual(["a 1 (1)", "a 2", "a 1 (3)"]);
    const many = [{ name: "Wave", data: {} }, ...jobs({}, {})];
    expect(labelsOf(many)).toEqual(["Wave", "Smooth (2)", "Smooth (3)"]);
  });
});

describe("results", () => {
  const parts = (...results: unknown[]) =>
    partsOf(
      results.map((each) => contentOf(each)),
      results.map(() => ({})),
    );

  test("single values and small trees are lines", () => {
    expect(parts({ pi: 3.1, samples: 10 }, { pi: 3.2, samples: 10 })).toEqual({
      lines: [
        { path: "pi", values: ["3.1", "3.2"], differs: true },
        { path: "samples", values: ["10", "10"], differs: false },
      ],
      shown: [],
    });
    expect(parts(3, 4).lines).toEqual([{ path: "value", values: ["3", "4"], differs: true }]);
    expect(parts({ deep: { deeper: [1, { deepest: "x" }] } }).lines).toHaveLength(2);
  });

  test("the error of a failed job stands beside the result of another", () => {
    const { lines } = partsOf([contentOf({ pi: 3 }), null], [{}, { error: "ValueError", message: "no" }]);

    expect(lines.map(({ path, values }) => [path, ...values])).toEqual([
      ["pi", "3", undefined],
      ["error", undefined, "ValueError"],
      ["message", undefined, "no"],
    ]);
  });

  test("curves of the same name are laid over one another", () => {
    const { shown } = parts([1, 5, 2], [1, 4, 3, 2], { table: [{ word: "to" }] });
    const [line, table] = shown;
    const figure = line && overlaid(line, ["window 1", "window 3", "other"]);

    expect(figure?.data).toMatchObject([
      { name: "window 1", y: [1, 5, 2] },
      { name: "window 3", y: [1, 4, 3, 2] },
    ]);
    expect(table && overlaid(table, ["", "", ""])).toBeNull();
  });

  test("a reference that all figures draw is drawn once", () => {
    const figure = (end: number, y: number[]) => ({
      data: [
        { x: [0, end], y, name: "estimate" },
        { x: [0, end], y: [3.14, 3.14], name: "pi" },
      ],
      layout: {},
    });
    const { shown } = parts({ plot: figure(10, [2, 3]) }, { plot: figure(99, [4, 3]) });

    expect(shown[0] && overlaid(shown[0], ["samples 10", "samples 99"])?.data).toMatchObject([
      { name: "samples 10: estimate" },
      { name: "pi", x: [0, 99] },
      { name: "samples 99: estimate" },
    ]);
  });

  test("bars and heatmaps stay side by side", () => {
    const bars = { data: [{ type: "bar", y: [1, 2] }], layout: {} };
    const { shown } = parts(bars, bars);

    expect(shown[0] && overlaid(shown[0], ["a", "b"])).toBeNull();
  });
});
