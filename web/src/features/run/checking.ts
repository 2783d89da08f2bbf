/** Checks values without compiling code, which the page's security policy forbids. */
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import type { RJSFSchema, RJSFValidationError, ValidatorType } from "@rjsf/utils";

export interface Fault {
  path: string[];
  message: string;
}

export function faultsOf(values: unknown, schema: object): Fault[] {
  const { valid, errors } = new Validator(schema as Schema, "2020-12", false).validate(values);
  return valid ? [] : deepest(errors).map((error) => faultOf(error, schema));
}

/** A parent fails because its child does: only what failed by itself is told, and of a choice the choice. */
function deepest(errors: OutputUnit[]): OutputUnit[] {
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
]);

function faultOf({ instanceLocation, keyword, error, keywordLocation }: OutputUnit, schema: object): Fault {
  const path = pointer(instanceLocation);
  if (keyword === "required") {
    const missing = /"(.+)"\.?$/.exec(error)?.[1];
    return { path: missing ? [...path, missing] : path, message: "is required" };
  }
  const limit = at(schema, pointer(keywordLocation));
  return { path, message: SAYINGS[keyword]?.(limit) ?? error };
}

const SAYINGS: Record<string, (limit: unknown) => string> = {
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
  enum: () => "must be one of the choices",
  const: (limit) => `must be ${JSON.stringify(limit)}`,
  anyOf: () => "fits none of the choices",
  oneOf: () => "fits none of the choices, or several",
};

function pointer(location: string): string[] {
  return location
    .replace(/^#\/?/, "")
    .split("/")
    .filter(Boolean)
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Behind a `$ref` the location goes on in what it refers to. */
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

/** For RJSF, which asks which of several options some values fit. */
export const validator: ValidatorType = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: <Result>() => ({ errors: [] as Result[] }),
  toErrorList: (): RJSFValidationError[] => [],
  isValid: (schema: RJSFSchema, values: unknown, root: RJSFSchema) => {
    const alone = { ...schema, $defs: root.$defs } as Schema;
    return new Validator(alone, "2020-12").validate(values).valid;
  },
} as ValidatorType;
