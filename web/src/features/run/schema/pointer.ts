/** Where a field is, as a JSON pointer: `/cell/atoms/0`. */
import { isObject } from "./resolve";

export function below(at: string, key: string | number): string {
  return `${at}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function pointerOf(path: string[]): string {
  return path.reduce(below, "");
}

export function pathOf(at: string): string[] {
  return at
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The id of the field's input. */
export function idOf(at: string): string {
  return `field${at.replaceAll("/", "_")}`;
}

/** A copy with another value at this place. */
export function replaced(whole: unknown, path: string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(whole)) return whole.with(Number(key), replaced(whole[Number(key)], rest, value));
  const parent = isObject(whole) ? whole : {};
  return { ...parent, [key]: replaced(parent[key], rest, value) };
}
