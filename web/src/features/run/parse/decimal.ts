import { parseNumber } from "./number";
import type { Parsed } from "./parsed";

/** A decimal of any precision: sent as text if a number would round it. */
export function parseDecimal(typed: string): Parsed<number | string> {
  const parsed = parseNumber(typed);
  if ("problem" in parsed) return parsed;
  const text = typed.trim().replace(/[−–]/g, "-").replaceAll("_", "").replace(/^\+/, "");
  const digits = text.replace(/e.*$/i, "").replace(/[-.]/g, "").replace(/^0+/, "");
  return { value: digits.length <= 15 ? parsed.value : text };
}
