/** The schema as a form shows it. What is submitted is checked against the original. */
import type { RJSFSchema, UiSchema } from "@rjsf/utils";

type Schema = Record<string, unknown>;

const NULL = "null";

export function displayed(schema: Schema): RJSFSchema {
  return shown(schema, schema) as RJSFSchema;
}

function shown(node: unknown, root: Schema): unknown {
  if (Array.isArray(node)) return node.map((each) => shown(each, root));
  if (typeof node !== "object" || node === null) return node;
  const inside = Object.fromEntries(Object.entries(node).map(([key, each]) => [key, shown(each, root)]));
  return withUnit(withoutNull(inside, root));
}

/** `json_schema_extra={"unit": "Å"}` stands behind the name of its field. */
function withUnit(node: Schema): Schema {
  if (typeof node.unit !== "string" || typeof node.title !== "string") return node;
  return { ...node, title: `${node.title} (${node.unit})` };
}

/** Pydantic's `T | None`: one field that may stay empty. Of an object or a list it stays a choice, with words. */
function withoutNull(node: Schema, root: Schema): Schema {
  const options = node.anyOf as Schema[] | undefined;
  const rest = options?.filter((option) => option.type !== NULL);
  if (!options || !rest || rest.length === options.length) return node;
  const { anyOf: _, ...others } = node;
  const [only] = rest;
  if (only && rest.length === 1 && isPlain(resolved(only, root)))
    return { ...resolved(only, root), ...others, nullable: true };
  return { ...node, anyOf: [...rest.map(named), { type: NULL, title: "None" }] };
}

function named(option: Schema): Schema {
  return option.title || option.$ref || !option.type ? option : { ...option, title: String(option.type) };
}

function isPlain({ type, enum: options }: Schema): boolean {
  return options !== undefined || ["string", "number", "integer", "boolean"].includes(String(type));
}

function resolved(node: Schema, root: Schema): Schema {
  if (typeof node.$ref !== "string") return node;
  let target: unknown = root;
  for (const part of node.$ref.replace(/^#\//, "").split("/"))
    target = (target as Schema | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  return (target as Schema | undefined) ?? node;
}

/** Which control each field gets. */
export function controls(schema: unknown, seen: unknown[] = []): UiSchema {
  if (typeof schema !== "object" || schema === null || seen.includes(schema)) return {};
  const node = schema as Schema;
  const deeper = [...seen, schema];
  const own: UiSchema = { ...controlOf(node) };
  for (const [name, each] of Object.entries((node.properties as Schema | undefined) ?? {}))
    own[name] = controls(each, deeper);
  if (node.items) own.items = controls(node.items, deeper);
  return own;
}

function controlOf(node: Schema): UiSchema {
  const empty = node.nullable ? { "ui:emptyValue": null } : {};
  if (node.format === "workroom-file") return { ...empty, "ui:widget": "roomFile" };
  if (node.format === "textarea") return { ...empty, "ui:widget": "textarea" };
  if (isBounded(node)) return { ...empty, "ui:widget": "bounded" };
  return empty;
}

/** A number between two ends. Half-open ends have no smallest value that a slider could stand on. */
function isBounded({ type, minimum, maximum, enum: options, nullable }: Schema): boolean {
  const isNumber = type === "number" || type === "integer";
  return isNumber && !nullable && !options && typeof minimum === "number" && typeof maximum === "number";
}
