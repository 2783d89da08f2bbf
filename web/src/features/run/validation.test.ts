import { describe, expect, it } from "vitest";
import { validate } from "./validation";

const SCHEMA = {
  type: "object",
  required: ["text"],
  $defs: { Point: { type: "object", properties: { x: { type: "number", maximum: 9 } }, required: ["x"] } },
  properties: {
    text: { type: "string", minLength: 1 },
    top: { type: "integer", minimum: 1 },
    points: { type: "array", items: { $ref: "#/$defs/Point" } },
    maybe: { anyOf: [{ type: "integer" }, { type: "null" }] },
  },
};

describe("validate", () => {
  it("accepts valid values", () => {
    expect(validate({ text: "a", top: 3, points: [{ x: 1 }], maybe: null }, SCHEMA)).toEqual([]);
  });

  it("reports a missing field as required", () => {
    expect(validate({}, SCHEMA)).toEqual([{ path: ["text"], message: "is required" }]);
  });

  it("reports the limit at its field", () => {
    expect(validate({ text: "", top: 0 }, SCHEMA)).toEqual([
      { path: ["text"], message: "must not be empty" },
      { path: ["top"], message: "must be 1 or more" },
    ]);
  });

  it("finds errors behind references and in lists", () => {
    expect(validate({ text: "a", points: [{ x: 1 }, { x: 10 }] }, SCHEMA)).toEqual([
      { path: ["points", "1", "x"], message: "must be 9 or less" },
    ]);
  });

  it("reports one error for a choice", () => {
    expect(validate({ text: "a", maybe: "x" }, SCHEMA)).toEqual([
      { path: ["maybe"], message: "must match one of the options" },
    ]);
  });
});
