import { isSecret } from "@/components/secrets";
import { isConstant, isObject, isRequired, propertiesOf, type Schema, type Shape, shapeOf } from "./resolve";
import { isUnparsed } from "./unparsed";

const MAX_FIELDS = 1000;
const MAX_FILLED = 10;

/** Values completed with the defaults of what is missing; of at most so many fields. */
export function withDefaults(values: unknown, node: unknown, root: Schema): unknown {
  return fill(values, node, root, { left: MAX_FIELDS }, true);
}

/** The first value of a field that has none. */
export function emptyValue(node: unknown, root: Schema): unknown {
  return withDefaults(undefined, node, root);
}

function fill(
  value: unknown,
  node: unknown,
  root: Schema,
  budget: { left: number },
  isNeeded: boolean,
): unknown {
  if (budget.left-- <= 0) return value;
  const shape = shapeOf(node, root);
  const known = value === undefined ? defaultOf(shape) : value;
  if (known === undefined) return isNeeded ? made(shape, root, budget) : madeObject(shape, root, budget);
  const isFields = isObject(known) && !isUnparsed(known) && shape.schema.properties !== undefined;
  return isFields ? filledObject(known, shape.schema, root, budget) : known;
}

function defaultOf({ schema, isNullable }: Shape): unknown {
  if (isSecret(schema)) return isNullable && schema.default === null ? null : undefined;
  if (schema.default === null && !isNullable && !isAny(schema)) return undefined; // infinity has no JSON
  return structuredClone(schema.default);
}

function isAny({ type, enum: values, anyOf, oneOf }: Schema): boolean {
  return (type === undefined && !anyOf && !oneOf) || type === "null" || Array.isArray(values);
}

/** The least value of a field that must have one. */
function made({ schema, isNullable, options }: Shape, root: Schema, budget: { left: number }): unknown {
  if (isConstant(schema)) return schema.const ?? null;
  if (isNullable) return null;
  if (options[0]) return fill(undefined, options[0], root, budget, true);
  if (schema.type === "boolean" && !schema.enum) return false;
  if (schema.type === "array") return madeList(schema, root, budget);
  if (schema.type === "object" && !schema.properties) return {};
  return madeObject({ schema, isNullable, options }, root, budget);
}

function madeObject({ schema, isNullable }: Shape, root: Schema, budget: { left: number }): unknown {
  if (isConstant(schema)) return schema.const ?? null;
  return schema.properties && !isNullable ? filledObject({}, schema, root, budget) : undefined;
}

function filledObject(
  value: Record<string, unknown>,
  schema: Schema,
  root: Schema,
  budget: { left: number },
) {
  const filled: Record<string, unknown> = { ...value };
  for (const [name, node] of propertiesOf(schema))
    filled[name] = fill(value[name], node, root, budget, isRequired(schema, name));
  return filled;
}

function madeList(schema: Schema, root: Schema, budget: { left: number }): unknown[] {
  if (Array.isArray(schema.prefixItems))
    return schema.prefixItems.slice(0, MAX_FILLED).map((item) => fill(undefined, item, root, budget, true));
  const size = schema.minItems === schema.maxItems ? Number(schema.minItems ?? 0) : 0;
  const items = shapeOf(schema.items, root).schema;
  if (size > MAX_FILLED || items.type === "number" || items.type === "integer") return [];
  return Array.from({ length: size }, () => fill(undefined, schema.items, root, budget, true));
}
