import { expect, test } from "vitest";
import { MAX_VALUES, parseSeveral } from "./several";

const NUMBER = { type: "number" };
const WHOLE = { type: "integer" };

function valuesOf(typed: string, schema: Record<string, unknown>): unknown {
  const parsed = parseSeveral(typed, schema);
  return "value" in parsed ? parsed.value : parsed.problem;
}

test("a list has its values in the order typed, each once", () => {
  expect(valuesOf("0.1, 0.05,0.01", NUMBER)).toEqual([0.1, 0.05, 0.01]);
  expect(valuesOf("3, 1, 3,", WHOLE)).toEqual([3, 1]);
});

test("a range has both of its ends", () => {
  expect(valuesOf("1:5", WHOLE)).toEqual([1, 2, 3, 4, 5]);
  expect(valuesOf("0:1:0.25", NUMBER)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(valuesOf("0:0.3:0.1", NUMBER)).toEqual([0, 0.1, 0.2, 0.3]);
  expect(valuesOf("3:1:-1, 10", WHOLE)).toEqual([3, 2, 1, 10]);
});

test("values are spaced as in NumPy", () => {
  expect(valuesOf("logspace(-3, 0, 4)", NUMBER)).toEqual([0.001, 0.01, 0.1, 1]);
  expect(valuesOf("linspace(0, 1, 3), 5", NUMBER)).toEqual([0, 0.5, 1, 5]);
  expect(valuesOf("logspace(0, 2, 3)", WHOLE)).toEqual([1, 10, 100]);
});

test("text and choices are lists; quotes keep a comma", () => {
  expect(valuesOf('a, "b, c", 1:3', { type: "string" })).toEqual(["a", "b, c", "1:3"]);
  expect(valuesOf("EMT, LJ", { type: "string", enum: ["EMT", "LJ"] })).toEqual(["EMT", "LJ"]);
  expect(valuesOf("1, 2", { type: "integer", enum: [1, 2, 3] })).toEqual([1, 2]);
});

test.each([
  ["", NUMBER, "at least one"],
  ["1, two", NUMBER, "two: is not a number"],
  ["1.5, 2", WHOLE, "1.5: must be a whole number"],
  ["5:1", WHOLE, "empty range: to count down, write 5:1:-1"],
  ["1:5:-2", WHOLE, "to count up, write 1:5:2"],
  ["1:5:0", WHOLE, "not zero"],
  ["logspace(0, 1)", NUMBER, "how many"],
  ["logspace(0, 1, 3)", WHOLE, "not whole"],
  ["logspace(0, 1000, 3)", NUMBER, "too large"],
  ["XY", { enum: ["EMT"] }, "choices"],
])("%j is refused with a reason", (typed, schema, reason) => {
  expect(valuesOf(typed, schema)).toContain(reason);
});

test("the number of values is limited before they are made", () => {
  expect(valuesOf(`1:${MAX_VALUES}`, WHOLE)).toHaveLength(MAX_VALUES);
  expect(valuesOf(`1:${MAX_VALUES + 1}`, WHOLE)).toContain("too many");
  expect(valuesOf("1:1e15", WHOLE)).toContain("too many");
  expect(valuesOf("linspace(0, 1, 1e9)", NUMBER)).toContain("too many");
});
