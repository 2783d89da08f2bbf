import { describe, expect, it } from "vitest";
import { faultsOf, validator } from "./checking";

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

describe("checking values", () => {
  it("finds nothing wrong with what fits", () => {
    expect(faultsOf({ text: "a", top: 3, points: [{ x: 1 }], maybe: null }, SCHEMA)).toEqual([]);
  });

  it("says of a missing field that it is required", () => {
    expect(faultsOf({}, SCHEMA)).toEqual([{ path: ["text"], message: "is required" }]);
  });

  it("says what the limit is, beside its field", () => {
    expect(faultsOf({ text: "", top: 0 }, SCHEMA)).toEqual([
      { path: ["text"], message: "must not be empty" },
      { path: ["top"], message: "must be 1 or more" },
    ]);
  });

  it("finds faults behind references and in lists", () => {
    expect(faultsOf({ text: "a", points: [{ x: 1 }, { x: 10 }] }, SCHEMA)).toEqual([
      { path: ["points", "1", "x"], message: "must be 9 or less" },
    ]);
  });

  it("says one thing of a choice that does not fit", () => {
    expect(faultsOf({ text: "a", maybe: "x" }, SCHEMA)).toEqual([
      { path: ["maybe"], message: "fits none of the choices" },
    ]);
  });

  it("tells RJSF which option some values fit", () => {
    const option = { $ref: "#/$defs/Point" };
    expect(validator.isValid(option, { x: 1 }, SCHEMA as never)).toBe(true);
    expect(validator.isValid(option, { y: 1 }, SCHEMA as never)).toBe(false);
  });
});
