import { describe, expect, it } from "vitest";
import { hasSlider, type Property, rowsOf } from "./layout";

/** Fields named `a`, `b`, …, each in a row of the list. */
function fields(...rows: unknown[]): Property[] {
  return rows.map((row, index) => [String.fromCharCode(97 + index), {}, { row }]);
}

function names(...rows: unknown[]): string[] {
  return rowsOf(fields(...rows)).map((row) => row.map(([name]) => name).join(""));
}

describe("rowsOf", () => {
  it("puts fields with the same row side by side", () => {
    expect(names("shift", "shift", "shift", undefined)).toEqual(["abc", "d"]);
  });

  it("leaves a field without a row alone, and one whose row is not a text", () => {
    expect(names(undefined, undefined)).toEqual(["a", "b"]);
    expect(names(1, 1, true, true)).toEqual(["a", "b", "c", "d"]);
  });

  it("begins a row anew after another field", () => {
    expect(names("x", "x", undefined, "x", "y", "y")).toEqual(["ab", "c", "d", "ef"]);
  });

  it("ends a row after four fields", () => {
    expect(names("x", "x", "x", "x", "x", "x")).toEqual(["abcd", "ef"]);
  });
});

describe("hasSlider", () => {
  it("needs inclusive limits on both sides", () => {
    expect(hasSlider({ minimum: 0, maximum: 1 })).toBe(true);
    expect(hasSlider({ minimum: 0 })).toBe(false);
    expect(hasSlider({ exclusiveMinimum: 0, maximum: 1 })).toBe(false);
    expect(hasSlider({ minimum: 1, maximum: 1 })).toBe(false);
  });

  it("needs limits that are at most 1,000 apart, 200 for whole numbers", () => {
    expect(hasSlider({ minimum: -500, maximum: 500 })).toBe(true);
    expect(hasSlider({ minimum: -500, maximum: 501 })).toBe(false);
    expect(hasSlider({ type: "integer", minimum: 0, maximum: 200 })).toBe(true);
    expect(hasSlider({ type: "integer", minimum: 0, maximum: 201 })).toBe(false);
  });

  it("needs the width of the form", () => {
    expect(hasSlider({ minimum: 0, maximum: 1, row: "shift" })).toBe(false);
  });
});
