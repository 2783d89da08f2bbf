import { expect, test } from "vitest";
import {
  axesOf,
  figureOf,
  inWords,
  numericOf,
  parametersOf,
  plainParts,
  resultsOf,
  withoutRetried,
} from "./columns";

const JOBS = [
  { data: { fmax: 0.1, steps: 5 }, result: { energy: -1.5, path: [1, 2] } },
  { data: { fmax: 0.2, steps: 5 }, result: { energy: -1.2, converged: true } },
];

test("the parameters are those that the group names, or those that differ", () => {
  expect(parametersOf(["steps"], JOBS)).toEqual(["steps"]);
  expect(parametersOf([], JOBS)).toEqual(["fmax"]);
});

test("the columns of results are their plain parts", () => {
  expect(resultsOf(JOBS)).toEqual(["energy", "converged"]);
  expect(resultsOf([{ result: 3 }, { result: null }])).toEqual(["result"]);
  expect(plainParts({ $type: "table", columns: {} })).toEqual({});
});

test("a job that was retried in the group is left out", () => {
  const jobs = [
    { id: "c", retry_of: "a" },
    { id: "b", retry_of: null },
    { id: "a", retry_of: null },
  ];
  expect(withoutRetried(jobs).map(({ id }) => id)).toEqual(["c", "b"]);
});

test("values are put into words", () => {
  expect(inWords({ fmax: 0.1, calculator: "EMT" }, ["fmax", "calculator"])).toBe("fmax 0.1 · calculator EMT");
});

test("a chart has the points whose parameter and result are numbers, by the parameter", () => {
  const jobs = [
    { id: "b", retry_of: null, data: { fmax: 0.2 }, result: { energy: -1 }, status: "completed" as const },
    { id: "a", retry_of: null, data: { fmax: 0.1 }, result: { energy: -2 }, status: "completed" as const },
    { id: "c", retry_of: null, data: { fmax: 0.3 }, result: null, status: "failed" as const },
  ];
  const [trace] = figureOf(jobs, "fmax", "energy", ["fmax"]).data;
  expect(trace).toMatchObject({ x: [0.1, 0.2], y: [-2, -1], customdata: ["a", "b"], mode: "lines+markers" });
  expect(numericOf(["fmax", "name"], [{ fmax: 1, name: "a" }, { fmax: 2 }])).toEqual(["fmax"]);
});

test("a parameter of words is an axis, and the others make lines", () => {
  const jobs = ["EMT", "LJ"].flatMap((calculator) =>
    [0.1, 0.2].map((fmax) => ({
      id: `${calculator}${fmax}`,
      retry_of: null,
      data: { fmax, calculator, steps: 5 },
      result: fmax * 2,
      status: "completed" as const,
    })),
  );
  expect(axesOf(["fmax", "calculator", "steps"], jobs)).toEqual(["fmax", "calculator"]);
  const overWords = figureOf(jobs, "calculator", "result", ["fmax", "calculator"]);
  expect(overWords.layout).toMatchObject({ xaxis: { type: "category" }, showlegend: true });
  expect(overWords.data).toMatchObject([
    { name: "fmax 0.1", x: ["EMT", "LJ"], y: [0.2, 0.2] },
    { name: "fmax 0.2", x: ["EMT", "LJ"], y: [0.4, 0.4] },
  ]);
  const overNumbers = figureOf(jobs, "fmax", "result", ["fmax", "calculator"]);
  expect(overNumbers.data).toMatchObject([
    { name: "calculator EMT", x: [0.1, 0.2] },
    { name: "calculator LJ" },
  ]);
});
