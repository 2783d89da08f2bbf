/** Which option of a union a value belongs to, judged by its shape alone. */
import { isObject, isRequired, propertiesOf, resolve, type Schema } from "./resolve";

/** The index of the best option, or -1. */
export function optionFor(value: unknown, options: Schema[], root: Schema): number {
  if (value === undefined || value === null) return -1;
  const scores = options.map((option) => score(value, option, root));
  const best = Math.max(...scores);
  return best > 0 ? scores.indexOf(best) : -1;
}

function score(value: unknown, option: Schema, root: Schema): number {
  if (option.const !== undefined) return option.const === value ? 3 : 0;
  if (Array.isArray(option.enum)) return option.enum.includes(value) ? 3 : 0;
  switch (option.type) {
    case "object":
      return isObject(value) ? objectScore(value, option, root) : 0;
    case "array":
      return Array.isArray(value) ? 2 : 0;
    case "number":
    case "integer":
      return typeof value === "number" ? 2 : 0;
    case "string":
    case "boolean":
      return typeof value === option.type ? 2 : 0;
    default:
      return 1;
  }
}

function objectScore(value: Schema, option: Schema, root: Schema): number {
  let known = 0;
  for (const [name, node] of propertiesOf(option)) {
    const { const: constant } = resolve(node, root);
    if (constant !== undefined && value[name] !== undefined && value[name] !== constant) return 0;
    if (value[name] === undefined && isRequired(option, name)) return 0;
    if (value[name] !== undefined) known += constant === undefined ? 1 : 100;
  }
  return 2 + known;
}

/** The value of the discriminator that selects this option. */
export function tagOf(option: Schema, discriminator: unknown, root: Schema): unknown {
  const name = isObject(discriminator) ? discriminator.propertyName : undefined;
  if (typeof name !== "string" || !isObject(option.properties)) return undefined;
  return resolve(option.properties[name], root).const;
}
