import type { Parsed } from "./parsed";

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

/** Refuses numbers that JavaScript would change. */
export function parseJson(typed: string): Parsed<unknown> {
  const changed: string[] = [];
  const revive: Reviver = (_key, value, context) => {
    const source = context?.source ?? "";
    const isUnsafe = typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
    if (isUnsafe || value === Infinity || value === -Infinity) changed.push(source);
    return value;
  };
  try {
    const value: unknown = JSON.parse(typed, revive as Parameters<typeof JSON.parse>[1]);
    return changed.length
      ? { problem: `the number ${changed[0]} is too large to be sent exactly` }
      : { value };
  } catch {
    return { problem: 'is not valid JSON: put text in double quotes, as in "text" or {"key": 1}' };
  }
}
