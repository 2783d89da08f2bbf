import { describe, expect, it } from "vitest";
import { formSchema, uiSchemaOf } from "./formSchema";

const optional = (schema: object, rest: object = {}) => ({ anyOf: [schema, { type: "null" }], ...rest });

describe("formSchema", () => {
  it("turns an optional value into one field", () => {
    const shown = formSchema({
      properties: { n: optional({ type: "integer", minimum: 1 }, { title: "N" }) },
    });
    expect(shown.properties?.n).toEqual({ type: "integer", minimum: 1, title: "N", nullable: true });
    expect(uiSchemaOf(shown).n).toEqual({ "ui:emptyValue": null });
  });

  it("turns an optional enum behind a reference into one field", () => {
    const $defs = { Colour: { enum: ["red", "blue"], type: "string" } };
    const shown = formSchema({ $defs, properties: { c: optional({ $ref: "#/$defs/Colour" }) } });
    expect(shown.properties?.c).toEqual({ enum: ["red", "blue"], type: "string", nullable: true });
  });

  it("keeps an optional object as a choice", () => {
    const shown = formSchema({ properties: { o: optional({ type: "object", properties: {} }) } });
    expect(shown.properties?.o).toMatchObject({
      anyOf: [{ title: "object" }, { type: "null", title: "None" }],
    });
  });

  it("uses a password field for secrets, without the mask as default", () => {
    const secret = { type: "string", format: "password", writeOnly: true };
    const shown = formSchema({
      properties: { a: { ...secret, default: "**********" }, b: optional(secret) },
    });
    expect(shown.properties?.a).toEqual(secret);
    expect(uiSchemaOf(shown)).toMatchObject({ a: { "ui:widget": "secret" }, b: { "ui:widget": "secret" } });
  });

  it("does not change the original", () => {
    const schema = { properties: { n: optional({ type: "string" }) } };
    const before = structuredClone(schema);
    formSchema(schema);
    expect(schema).toEqual(before);
  });

  it("uses a slider only for numbers with two inclusive limits", () => {
    const shown = formSchema({
      properties: {
        both: { type: "number", minimum: 0, maximum: 1 },
        half: { type: "number", minimum: 0 },
        open: { type: "number", exclusiveMinimum: 0, maximum: 1 },
      },
    });
    expect(uiSchemaOf(shown)).toEqual({ both: { "ui:widget": "bounded" }, half: {}, open: {} });
  });

  it("appends the unit to the title", () => {
    const shown = formSchema({ properties: { cutoff: { type: "number", title: "Cutoff", unit: "Å" } } });
    expect(shown.properties?.cutoff).toMatchObject({ title: "Cutoff (Å)" });
  });

  it("chooses widgets of nested fields", () => {
    const file = { type: "string", format: "workroom-file" };
    const shown = formSchema({ properties: { list: { type: "array", items: { properties: { file } } } } });
    expect(uiSchemaOf(shown).list.items.file).toEqual({ "ui:widget": "roomFile" });
  });
});
