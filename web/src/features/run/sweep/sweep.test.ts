import { expect, test } from "vitest";
import { batchesOf, combinationsOf, firstOf, samplesOf, sweepOf } from "./sweep";

const SCHEMA = {
  properties: {
    fmax: { type: "number" },
    calculator: { enum: ["EMT", "LJ"], type: "string" },
    steps: { anyOf: [{ type: "integer" }, { type: "null" }] },
  },
};

test("every combination of the lists is a job", () => {
  const sweep = sweepOf(new Map([["fmax", "0.1, 0.2"], ["calculator", "EMT, LJ"]]), SCHEMA); // biome-ignore format: one line
  expect(sweep.count).toBe(4);
  expect(combinationsOf({ steps: 5 }, sweep)).toEqual([
    { fmax: 0.1, calculator: "EMT", steps: 5 },
    { fmax: 0.1, calculator: "LJ", steps: 5 },
    { fmax: 0.2, calculator: "EMT", steps: 5 },
    { fmax: 0.2, calculator: "LJ", steps: 5 },
  ]);
});

test("each value is checked once, however many jobs there are", () => {
  const sweep = sweepOf(new Map([["fmax", "1:3"], ["steps", "1:4"]]), SCHEMA); // biome-ignore format: one line
  expect(sweep.count).toBe(12);
  expect(samplesOf({}, sweep)).toHaveLength(6);
  expect(firstOf({ steps: 9 }, sweep)).toEqual({ fmax: 1, steps: 1 });
});

test("a list that is not understood makes no jobs", () => {
  const sweep = sweepOf(new Map([["fmax", "1, x"], ["steps", "1:4"]]), SCHEMA); // biome-ignore format: one line
  expect(sweep.count).toBe(0);
  expect(sweep.problems.map(({ path }) => path)).toEqual([["fmax"]]);
});

test("jobs are sent in requests of half a megabyte", () => {
  const large = { text: "ä".repeat(100_000) };
  expect(batchesOf([large, large, large, {}, {}]).map((batch) => batch.length)).toEqual([2, 3]);
  expect(batchesOf([{ text: "x".repeat(600_000) }, {}]).map((batch) => batch.length)).toEqual([1, 1]);
  expect(batchesOf([])).toEqual([]);
});

test("without fields with several values there is no sweep", () => {
  expect(sweepOf(new Map(), SCHEMA).count).toBe(0);
});
