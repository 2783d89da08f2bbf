import { describe, expect, it } from "vitest";
import { namesIn, parseExpression } from "./expression";

const arrays: Record<string, { numbers: number[]; width: number }> = {
  z: { numbers: [1, 2, 4], width: 1 },
  "arrays.my_charge": { numbers: [-1, 0, 1], width: 1 },
  forces: { numbers: [3, 4, 0, 0, 0, 2, 1, 0, 0], width: 3 },
};
const variables = { count: 3, find: (name: string) => arrays[name] ?? null };
const evaluate = (text: string) => [...parseExpression(text)(variables)];

describe("an expression", () => {
  it.each([
    ["1 + 2 * 3", [7, 7, 7]],
    ["2 ^ 3 ^ 2", [512, 512, 512]],
    ["-2 ** 2", [-4, -4, -4]],
    ["z - min(z)", [0, 1, 3]],
    ["norm(forces)", [5, 2, 1]],
    ["norm(forces * 2)", [10, 4, 2]],
    ["forces.x", [3, 0, 1]],
    ["abs(arrays.my_charge)", [1, 0, 1]],
    ["z > 1 && z <= 2 || !1", [0, 1, 0]],
    ["(1e1 + .5) / 2", [5.25, 5.25, 5.25]],
    ["z-1", [0, 1, 3]],
  ])("%s is evaluated for each atom", (text, expected) => {
    expect(evaluate(text)).toEqual(expected);
  });

  it.each([
    ["forces", "vector"],
    ["1 +", "the end is not expected"],
    ["(1", ") is missing"],
    ["nothing", "There is no nothing"],
    ["constructor(1)", "no function constructor"],
    ["1 ; 2", "not understood"],
    ["alert`1`", "not understood"],
    ["(".repeat(200), "too deep"],
    ["1+".repeat(300), "too long"],
  ])("%s is refused with a reason", (text, reason) => {
    expect(() => evaluate(text)).toThrow(reason);
  });

  it("knows the names it uses", () => {
    expect(namesIn("norm(forces) + arrays.my_charge * z")).toEqual([
      "norm",
      "forces",
      "arrays.my_charge",
      "z",
    ]);
  });
});
