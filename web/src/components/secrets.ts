/** Secret values. The server replaces them with a mask, and the page never stores them. */

const MASK = "**********";
const CHOICES = ["anyOf", "oneOf", "allOf"];

type Schema = Record<string, unknown>;

export function isSecret(node: unknown): boolean {
  const { format, writeOnly } = (node ?? {}) as Schema;
  return format === "password" || writeOnly === true;
}

export function hasMasks(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === MASK;
  return Object.values(value).some(hasMasks);
}

/** Removes masked values, so that a form requests them again. */
export function withoutMasks<T>(value: T): T {
  return without(value, (each) => each === MASK) as T;
}

/** Removes secret values, so that the rest may be stored. */
export function withoutSecrets<T>(value: T, schema: Schema): T {
  return strip(value, [schema], schema) as T;
}

function strip(value: unknown, parts: unknown[], root: Schema): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = parts.flatMap((part) => expand(part, root));
  if (Array.isArray(value))
    return known.some((part) => isSecret(part.items))
      ? []
      : value.map((each) => strip(each, children(known, ["items"]), root));
  const kept: Schema = {};
  for (const [name, each] of Object.entries(value)) {
    const fields = known.map((part) => (part.properties as Schema | undefined)?.[name]).filter(Boolean);
    const schemas = fields.length ? fields : children(known, ["additionalProperties"]);
    if (!schemas.flatMap((part) => expand(part, root)).some(isSecret))
      kept[name] = strip(each, schemas, root);
  }
  return kept;
}

function children(parts: Schema[], keywords: string[]): unknown[] {
  return parts.flatMap((part) => keywords.map((keyword) => part[keyword])).filter(Boolean);
}

/** A subschema with everything that it refers to or chooses from. */
function expand(part: unknown, root: Schema, seen = new Set<unknown>()): Schema[] {
  if (typeof part !== "object" || part === null || seen.has(part)) return [];
  seen.add(part); // each only once: references may double at each level
  const node = part as Schema;
  const more = CHOICES.flatMap((keyword) => (node[keyword] as unknown[] | undefined) ?? []);
  if (typeof node.$ref === "string") more.push(resolveRef(node.$ref, root));
  return [node, ...more.flatMap((each) => expand(each, root, seen))];
}

function resolveRef(reference: string, root: Schema): unknown {
  let target: unknown = root;
  for (const name of reference.split("/").slice(1))
    target = (target as Schema | undefined)?.[name.replaceAll("~1", "/").replaceAll("~0", "~")];
  return target;
}

function without(value: unknown, isRemoved: (each: unknown) => boolean): unknown {
  if (Array.isArray(value))
    return value.filter((each) => !isRemoved(each)).map((each) => without(each, isRemoved));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, each]) => !isRemoved(each));
  return Object.fromEntries(kept.map(([name, each]) => [name, without(each, isRemoved)]));
}
