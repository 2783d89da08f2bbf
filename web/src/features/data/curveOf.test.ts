import { expect, test } from "vitest";
import { curveOf } from "./curveOf";

test("the least value is at the bottom and the largest at the top", () => {
  expect(curveOf([-1, 1], 100, 20)).toEqual({ path: "M0.0 18.0h0.1L100.0 2.0", min: -1, max: 1 });
});

test("a line is interrupted where a value is missing", () => {
  expect(curveOf([0, Number.NaN, 1], 100, 20).path).toBe("M0.0 18.0h0.1M100.0 2.0h0.1");
});

test("equal values lie in the middle, and no values draw nothing", () => {
  expect(curveOf([5, 5], 100, 20).path).toBe("M0.0 10.0h0.1L100.0 10.0");
  expect(curveOf([Number.NaN], 100, 20).path).toBe("");
  expect(curveOf([], 100, 20).path).toBe("");
});
