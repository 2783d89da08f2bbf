import { describe, expect, it } from "vitest";
import { controls, displayed } from "./displayed";

const optional = (schema: object, rest: object = {}) => ({ anyOf: [schema, { type: "null" }], ...rest });

describe("a schema as a form shows it", () => {
  it("makes one field of what may be null", () => {
    const shown = displayed({ properties: { n: optional({ type: "integer", minimum: 1 }, { title: "N" }) } });
    expect(shown.properties?.n).toEqual({ type: "integer", minimum: 1, title: "N", nullable: true });
    expect(controls(shown).n).toEqual({ "ui:emptyValue": null });
  });

  it("makes one field of an enum that may be null, also behind a reference", () => {
    const $defs = { Colour: { enum: ["red", "blue"], type: "string" } };
    const shown = displayed({ $defs, properties: { c: optional({ $ref: "#/$defs/Colour" }) } });
    expect(shown.properties?.c).toEqual({ enum: ["red", "blue"], type: "string", nullable: true });
  });

  it("keeps an object that may be null a choice", () => {
    const shown = displayed({ properties: { o: optional({ type: "object", properties: {} }) } });
    expect(shown.properties?.o).toMatchObject({
      anyOf: [{ title: "object" }, { type: "null", title: "None" }],
    });
  });

  it("leaves the original alone", () => {
    const schema = { properties: { n: optional({ type: "string" }) } };
    const before = structuredClone(schema);
    displayed(schema);
    expect(schema).toEqual(before);
  });

  it("gives a slider to a number between two ends only", () => {
    const shown = displayed({
      properties: {
        both: { type: "number", minimum: 0, maximum: 1 },
        half: { type: "number", minimum: 0 },
        open: { type: "number", exclusiveMinimum: 0, maximum: 1 },
      },
    });
    expect(controls(shown)).toEqual({ both: { "ui:widget": "bounded" }, half: {}, open: {} });
  });

  it("puts the unit behind the name", () => {
    const shown = displayed({ properties: { cutoff: { type: "number", title: "Cutoff", unit: "Å" } } });
    expect(shown.properties?.cutoff).toMatchObject({ title: "Cutoff (Å)" });
  });

  it("finds the controls of fields deep inside", () => {
    const file = { type: "string", format: "workroom-file" };
    const shown = displayed({ properties: { list: { type: "array", items: { properties: { file } } } } });
    expect(controls(shown).list.items.file).toEqual({ "ui:widget": "roomFile" });
  });
});
