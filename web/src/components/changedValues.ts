import { isObject } from "./results/envelopes";

const MAX_LENGTH = 60;

/** The values of a job that are not the defaults of its tool, in words; all of them if the tool is unknown. */
export function changedValues(data: Record<string, unknown>, schema?: Record<string, unknown>): string {
  const fields = isObject(schema?.properties) ? schema.properties : {};
  const isChanged = ([name, value]: [string, unknown]) => {
    const field = fields[name];
    return !isObject(field) || !("default" in field) || !isSame(field.default, value);
  };
  return Object.entries(data).filter(isChanged).map(inWords).join(" · ");
}

function inWords([name, value]: [string, unknown]): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return `${name} ${text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text}`;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
