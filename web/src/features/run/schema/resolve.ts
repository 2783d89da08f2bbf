/** Reads the JSON Schemas that Pydantic makes. Only what a form draws is resolved: references may double at each level. */
export type Schema = Record<string, unknown>;

/** A schema without references and `null`. `options` are the choices of a union. */
export interface Shape {
  schema: Schema;
  isNullable: boolean;
  options: Schema[];
}

const MAX_HOPS = 20;
const shapes = new WeakMap<object, Shape>();

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The same node gives the same shape, so that fields are not drawn again without need. */
export function shapeOf(node: unknown, root: Schema): Shape {
  if (!isObject(node)) return { schema: {}, isNullable: false, options: [] };
  const known = shapes.get(node);
  if (known) return known;
  const shape = simplified(resolve(node, root), root);
  shapes.set(node, shape);
  return shape;
}

export function resolve(node: unknown, root: Schema, hops = 0): Schema {
  if (!isObject(node) || hops > MAX_HOPS) return {};
  if (typeof node.$ref === "string") {
    const { $ref, ...siblings } = node;
    return { ...resolve(target(root, $ref as string), root, hops + 1), ...siblings };
  }
  if (!Array.isArray(node.allOf) || node.allOf.length !== 1) return node;
  const { allOf, ...rest } = node;
  return { ...resolve((allOf as unknown[])[0], root, hops + 1), ...rest };
}

function target(root: Schema, reference: string): unknown {
  return reference
    .split("/")
    .slice(1)
    .reduce<unknown>((node, part) => (node as Schema | undefined)?.[unescaped(part)], root);
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function simplified(schema: Schema, root: Schema): Shape {
  const { anyOf, oneOf, ...rest } = schema;
  const parts = optionsOf(schema).map((option) => resolve(option, root));
  const options = withoutNarrower(parts.filter((part) => part.type !== "null"));
  const isNullable = options.length < parts.length && parts.some((part) => part.type === "null");
  const [only] = options;
  if (only && options.length === 1) {
    const inner = simplified({ ...only, ...rest }, root);
    return { ...inner, isNullable: isNullable || inner.isNullable };
  }
  if (rest.format === "decimal") return { schema: { ...only, ...rest }, isNullable, options: [] };
  if (options.length) return { schema: rest, isNullable, options };
  return { schema, isNullable: false, options: [] };
}

function optionsOf({ anyOf, oneOf, type, ...rest }: Schema): unknown[] {
  if (Array.isArray(anyOf)) return anyOf;
  if (Array.isArray(oneOf)) return oneOf;
  return Array.isArray(type) ? type.map((each) => ({ ...rest, type: each })) : [];
}

/** An integer is also a number. */
function withoutNarrower(options: Schema[]): Schema[] {
  const hasNumber = options.some((option) => option.type === "number");
  return hasNumber ? options.filter((option) => option.type !== "integer" || option.enum) : options;
}

export function propertiesOf(schema: Schema): [string, unknown][] {
  return isObject(schema.properties) ? Object.entries(schema.properties) : [];
}

export function isRequired(schema: Schema, name: string): boolean {
  return Array.isArray(schema.required) && schema.required.includes(name);
}

export function isConstant({ const: constant, type }: Schema): boolean {
  return constant !== undefined || type === "null";
}
