/** Validates values by interpreting the schema: the page's security policy forbids compiled code. */
import { format, type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import type { FieldError } from "./schema/unparsed";

/** Fields check these themselves, and like Pydantic they accept more than RFC 3339. */
for (const name of ["date", "date-time", "duration", "regex", "time", "uri", "url"]) delete format[name];

export function validate(values: unknown, schema: object): FieldError[] {
  const plain = JSON.parse(JSON.stringify(values)); // drops undefined values
  const { valid, errors } = new Validator(schema as Schema, "2020-12", false).validate(plain);
  return valid ? [] : relevant(errors).map((error) => fieldErrorOf(error, schema));
}

/** Drops errors that only repeat a nested one. For a choice, reports the choice and not its options. */
function relevant(errors: OutputUnit[]): OutputUnit[] {
  const choices = errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  return errors.filter(
    (error) =>
      !CONTAINERS.has(error.keyword) &&
      !choices.some((choice) => error.keywordLocation.startsWith(`${choice.keywordLocation}/`)),
  );
}

const CONTAINERS = new Set([
  "properties",
  "items",
  "prefixItems",
  "$ref",
  "allOf",
  "if",
  "additionalProperties",
  "contentSchema",
]);

function fieldErrorOf(
  { instanceLocation, keyword, error, keywordLocation }: OutputUnit,
  schema: object,
): FieldError {
  const path = pointer(instanceLocation);
  if (keyword === "required") {
    const missing = /"(.+)"\.?$/.exec(error)?.[1];
    return { path: missing ? [...path, missing] : path, message: "is required" };
  }
  const limit = at(schema, pointer(keywordLocation));
  return { path, message: MESSAGES[keyword]?.(limit) ?? error };
}

const MESSAGES: Record<string, (limit: unknown) => string> = {
  minimum: (limit) => `must be ${limit} or more`,
  maximum: (limit) => `must be ${limit} or less`,
  exclusiveMinimum: (limit) => `must be more than ${limit}`,
  exclusiveMaximum: (limit) => `must be less than ${limit}`,
  multipleOf: (limit) => `must be a multiple of ${limit}`,
  minLength: (limit) => (limit === 1 ? "must not be empty" : `must have ${limit} characters or more`),
  maxLength: (limit) => `must have ${limit} characters or fewer`,
  minItems: (limit) => `must have ${limit} entries or more`,
  maxItems: (limit) => `must have ${limit} entries or fewer`,
  uniqueItems: () => "must not have the same entry twice",
  pattern: (limit) => `must match ${limit}`,
  format: (limit) => `must be a ${limit}`,
  type: (limit) => `must be ${Array.isArray(limit) ? limit.join(" or ") : `of type ${limit}`}`,
  enum: () => "must be one of the options",
  const: (limit) => `must be ${JSON.stringify(limit)}`,
  anyOf: () => "must match one of the options",
  oneOf: () => "must match exactly one of the options",
};

function pointer(location: string): string[] {
  return location
    .replace(/^#\/?/, "")
    .split("/")
    .filter(Boolean)
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A `$ref` in the path continues in its target. */
function at(root: unknown, path: string[]): unknown {
  let node = root;
  for (const part of path) {
    node = part === "$ref" ? refer(root, node) : (node as Record<string, unknown> | undefined)?.[part];
  }
  return node;
}

function refer(root: unknown, node: unknown): unknown {
  const { $ref } = node as { $ref?: string };
  return $ref ? at(root, pointer($ref)) : undefined;
}
