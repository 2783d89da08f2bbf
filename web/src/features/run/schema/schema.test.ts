import { describe, expect, it } from "vitest";
import { rejections } from "../fieldErrors";
import { emptyValue, withDefaults } from "./defaults";
import { choicesOf, labelOf, optionLabel } from "./names";
import { idOf, pathOf, pointerOf, replaced } from "./pointer";
import { type Schema, shapeOf } from "./resolve";
import { optionFor } from "./unions";
import { problemsIn, unparsed } from "./unparsed";

const NULL = { type: "null" };

/** Each definition refers twice to the next. */
function doubled(levels: number): Schema {
  const $defs: Record<string, unknown> = {
    [`L${levels}`]: { type: "object", properties: { x: { type: "number" } } },
  };
  for (let level = 0; level < levels; level++) {
    const $ref = `#/$defs/L${level + 1}`;
    $defs[`L${level}`] = { type: "object", required: ["a", "b"], properties: { a: { $ref }, b: { $ref } } };
  }
  return { $defs, type: "object", required: ["root"], properties: { root: { $ref: "#/$defs/L0" } } };
}

describe("shapeOf", () => {
  it("turns an optional value into one field", () => {
    const shape = shapeOf({ anyOf: [{ type: "integer", minimum: 1 }, NULL], title: "N" }, {});
    expect(shape).toEqual({
      schema: { type: "integer", minimum: 1, title: "N" },
      isNullable: true,
      options: [],
    });
  });

  it("follows references, and ends at a reference to itself", () => {
    const root = { $defs: { A: { enum: ["x"] }, Loop: { $ref: "#/$defs/Loop" } } };
    expect(shapeOf({ $ref: "#/$defs/A", default: "x" }, root).schema).toEqual({ enum: ["x"], default: "x" });
    expect(shapeOf({ $ref: "#/$defs/Loop" }, root).schema).toEqual({});
  });

  it("keeps the options of a union, without integers beside numbers", () => {
    const shape = shapeOf({ anyOf: [{ type: "integer" }, { type: "number" }, { type: "string" }, NULL] }, {});
    expect(shape.options).toEqual([{ type: "number" }, { type: "string" }]);
    expect(shape.isNullable).toBe(true);
  });

  it("is the same for the same node", () => {
    const node = { type: "string" };
    expect(shapeOf(node, {})).toBe(shapeOf(node, {}));
  });
});

describe("withDefaults", () => {
  it("fills in what is missing, and keeps the rest", () => {
    const schema = {
      type: "object",
      required: ["on", "point"],
      properties: {
        text: { type: "string", default: "a" },
        on: { type: "boolean" },
        point: { type: "object", properties: { x: { type: "number", default: 1 } } },
        kind: { const: "k" },
      },
    };
    expect(withDefaults({ text: "b" }, schema, schema)).toEqual({
      text: "b",
      on: false,
      point: { x: 1 },
      kind: "k",
    });
  });

  it("does not take the mask of a secret for a value", () => {
    expect(emptyValue({ type: "string", format: "password", default: "**********" }, {})).toBeUndefined();
  });

  it("ends soon for references that double, and for endless lists", () => {
    const schema = doubled(26);
    const began = performance.now();
    expect(JSON.stringify(withDefaults({}, schema, schema)).length).toBeLessThan(100_000);
    expect(emptyValue({ type: "array", items: {}, minItems: 3_000_000, maxItems: 3_000_000 }, {})).toEqual(
      [],
    );
    expect(performance.now() - began).toBeLessThan(5000);
  });
});

describe("unions", () => {
  const options = [
    { type: "object", properties: { kind: { const: "cat" }, lives: { type: "integer" } } },
    { type: "object", properties: { kind: { const: "dog" } } },
    { type: "string" },
  ];

  it("are distinguished by their constants and types", () => {
    expect(optionFor({ kind: "dog" }, options, {})).toBe(1);
    expect(optionFor({ kind: "cat", lives: 9 }, options, {})).toBe(0);
    expect(optionFor("text", options, {})).toBe(2);
    expect(optionFor(5, options, {})).toBe(-1);
  });
});

describe("names", () => {
  it("are titles, or else the names of fields", () => {
    expect(labelOf("wall_time", { $ref: "#/$defs/Span" })).toBe("Wall time");
    expect(labelOf("x", { title: "The X" })).toBe("The X");
    expect(optionLabel({ type: "integer" })).toBe("Whole number");
  });

  it("of enum members are shown", () => {
    const choices = choicesOf({ enum: [1, "#f00", "solid"], enumNames: ["low", "RED", "SOLID"] });
    expect(choices.map(({ label }) => label)).toEqual(["low", "RED (#f00)", "solid"]);
  });
});

describe("pointers", () => {
  it("name fields with any key", () => {
    expect(pathOf(pointerOf(["a/b", "c~d", "0"]))).toEqual(["a/b", "c~d", "0"]);
    expect(idOf("/atoms/0/x")).toBe("field_atoms_0_x");
  });

  it("replace a value without changing the original", () => {
    const before = { a: [{ x: 1 }, { x: 2 }] };
    expect(replaced(before, ["a", "1", "x"], 3)).toEqual({ a: [{ x: 1 }, { x: 3 }] });
    expect(before.a[1]?.x).toBe(2);
  });
});

describe("problems", () => {
  it("are found wherever something was typed that is not valid", () => {
    expect(problemsIn({ a: [1, unparsed("x", "is wrong")] })).toEqual([
      { path: ["a", "1"], message: "is wrong" },
    ]);
  });
});

describe("rejections", () => {
  const job = (message: string, data = {}) =>
    ({ error: { type: "InvalidInput", message }, data }) as unknown as Parameters<typeof rejections>[0];
  const schema = { properties: { low: { title: "Low" }, high: {}, shape: {} } };

  it("stand at the path, without the option of a union", () => {
    const found = rejections(job("no:\n/shape/box/width: too wide", { shape: { width: 3 } }), schema);
    expect(found).toEqual([{ path: ["shape", "width"], message: "too wide" }]);
  });

  it("of the whole model stand at the fields that they name", () => {
    expect(rejections(job("no:\n/: low must be below high"), schema).map(({ path }) => path)).toEqual([
      ["low"],
      ["high"],
    ]);
    expect(rejections(job("no:\n/: never"), schema)).toEqual([{ path: [], message: "never" }]);
  });
});
