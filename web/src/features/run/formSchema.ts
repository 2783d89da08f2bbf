/** A schema adapted for the form. Values are validated against the original. */
import type { RJSFSchema, UiSchema } from "@rjsf/utils";
import { isSecret } from "@/components/secrets";

type Schema = Record<string, unknown>;

const NULL = "null";

export function formSchema(schema: Schema): RJSFSchema {
  return adapt(schema, schema) as RJSFSchema;
}

function adapt(node: unknown, root: Schema): unknown {
  if (Array.isArray(node)) return node.map((each) => adapt(each, root));
  if (typeof node !== "object" || node === null) return node;
  const children = Object.fromEntries(Object.entries(node).map(([key, each]) => [key, adapt(each, root)]));
  return withUnit(withNames(withoutMaskedDefault(withoutNull(children, root))));
}

/** Pydantic's default for a secret is its mask, which is not a value. */
function withoutMaskedDefault(node: Schema): Schema {
  if (!isSecret(node) || typeof node.default !== "string") return node;
  const { default: _, ...rest } = node;
  return rest;
}

/** Appends the unit of `json_schema_extra={"unit": "Å"}` to the title. */
function withUnit(node: Schema): Schema {
  if (typeof node.unit !== "string" || typeof node.title !== "string") return node;
  return { ...node, title: `${node.title} (${node.unit})` };
}

/** Turns Pydantic's `T | None` into one optional field. For objects and lists it stays a choice. */
function withoutNull(node: Schema, root: Schema): Schema {
  const options = node.anyOf as Schema[] | undefined;
  const rest = options?.filter((option) => option.type !== NULL);
  if (!options || !rest || rest.length === options.length) return node;
  const { anyOf: _, ...others } = node;
  const [only] = rest;
  if (only && rest.length === 1 && isPlain(resolved(only, root)))
    return { ...resolved(only, root), ...others, nullable: true };
  return { ...node, anyOf: [...rest, { type: NULL, title: "None" }] };
}

/** Gives every option of a choice a title. */
function withNames(node: Schema): Schema {
  const options = node.anyOf as Schema[] | undefined;
  return options ? { ...node, anyOf: options.map(named) } : node;
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

/** Chooses the widget of each field. */
export function uiSchemaOf(schema: unknown, seen: unknown[] = []): UiSchema {
  if (typeof schema !== "object" || schema === null || seen.includes(schema)) return {};
  const node = schema as Schema;
  const deeper = [...seen, schema];
  const own: UiSchema = { ...widgetOf(node) };
  for (const [name, each] of Object.entries((node.properties as Schema | undefined) ?? {}))
    own[name] = uiSchemaOf(each, deeper);
  if (node.items) own.items = uiSchemaOf(node.items, deeper);
  return own;
}

function widgetOf(node: Schema): UiSchema {
  const empty = emptyOf(node);
  if (node.format === "workroom-file") return { "ui:widget": "roomFile" };
  if (isSecret(node) && node.type === "string") return { ...empty, "ui:widget": "secret" };
  if (node.format === "textarea") return { ...empty, "ui:widget": "textarea" };
  if (isBounded(node)) return { ...empty, "ui:widget": "bounded" };
  return empty;
}

/** A cleared text is submitted as empty. Leaving it out would restore its default. */
function emptyOf({ nullable, type, enum: options }: Schema): UiSchema {
  if (nullable) return { "ui:emptyValue": null };
  return type === "string" && !options ? { "ui:emptyValue": "" } : {};
}

/** Has inclusive limits on both sides. An exclusive limit gives a slider no end value. */
function isBounded({ type, minimum, maximum, enum: options, nullable }: Schema): boolean {
  const isNumber = type === "number" || type === "integer";
  return isNumber && !nullable && !options && typeof minimum === "number" && typeof maximum === "number";
}
