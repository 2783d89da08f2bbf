import type { Parsed } from "./parsed";

const NUMBER = /^([+-]?)(\d+\.?\d*|\.\d+)(?:e([+-]?\d+))?$/i;
const POWER = /^(.+?)\s*[×x·*]\s*10(?:(?:\^|\*\*)([+-]?\d+)|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))$/;
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const NO_NUMBER = "is not a number: write it like 12, -0.5 or 1e-8";

/** Understands `1e-8`, `.5`, `1_000`, `−5` and `6.02×10²³`. The number is never rounded to fit. */
export function parseNumber(typed: string, isWhole = false): Parsed<number> {
  const text = normalized(typed.trim());
  const match = NUMBER.exec(text);
  if (!match) return { problem: problemOf(text) };
  const [, , mantissa = "", exponent = "0"] = match;
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: "is too large for a number" };
  if (value === 0 && /[1-9]/.test(mantissa)) return { problem: "is too close to zero for a number" };
  if (isWhole && hasFraction(mantissa, Number(exponent))) return { problem: "must be a whole number" };
  if (isWhole && !Number.isSafeInteger(value))
    return { problem: `is too large to be sent exactly; the limit is ${Number.MAX_SAFE_INTEGER}` };
  return { value };
}

function normalized(text: string): string {
  const plain = text.replace(/[−–]/g, "-").replace(/(?<=\d)_(?=\d)/g, "");
  const power = POWER.exec(plain);
  return power ? `${power[1]}e${power[2] ?? digitsOf(power[3] ?? "")}` : plain;
}

function digitsOf(superscript: string): string {
  return [...superscript]
    .map((each) => (each === "⁻" ? "-" : each === "⁺" ? "" : SUPERSCRIPTS.indexOf(each)))
    .join("");
}

function problemOf(text: string): string {
  if (/^[+-]?(inf(inity)?|nan|∞)$/i.test(text)) return "must be a finite number";
  if (text.includes(",")) return "has a comma: use a point for decimals, and enter one number only";
  if (/^\S+\s+\S/.test(text) && text.split(/\s+/).every((each) => NUMBER.test(each)))
    return "has several numbers: enter one only";
  return NO_NUMBER;
}

/** Decided by the digits: a number with many of them may be rounded to a whole one. */
function hasFraction(mantissa: string, exponent: number): boolean {
  const [whole = "", fraction = ""] = mantissa.split(".");
  const point = whole.length + exponent;
  return /[1-9]/.test(point < 0 ? whole + fraction : (whole + fraction).slice(point));
}

/** Small numbers are easier to read as `1e-6`. */
export function formatNumber(value: unknown): string {
  const isSmall = typeof value === "number" && value !== 0 && Math.abs(value) < 1e-3;
  return isSmall ? value.toExponential() : String(value);
}

export interface Limits {
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
}

/** The next number for an arrow key. It stays within the limits. */
export function stepped(value: number, direction: 1 | -1, limits: Limits, isWhole: boolean): number {
  const next = Number((value + direction * stepOf(value, limits, isWhole)).toPrecision(12));
  return isWithin(next, limits) ? next : value;
}

function stepOf(value: number, limits: Limits, isWhole: boolean): number {
  if (limits.multipleOf) return limits.multipleOf;
  if (isWhole) return 1;
  const { minimum, maximum } = limits;
  if (minimum !== undefined && maximum !== undefined) return roundStep((maximum - minimum) / 100);
  return value === 0 ? 0.1 : 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1);
}

/** 1, 2 or 5 times a power of ten. */
export function roundStep(step: number): number {
  if (!(step > 0) || !Number.isFinite(step)) return 1;
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5].findLast((each) => each * power <= step * 1.000001) ?? 1;
  return Number((factor * power).toPrecision(3));
}

function isWithin(value: number, limits: Limits): boolean {
  return (
    value >= (limits.minimum ?? -Infinity) &&
    value <= (limits.maximum ?? Infinity) &&
    value > (limits.exclusiveMinimum ?? -Infinity) &&
    value < (limits.exclusiveMaximum ?? Infinity)
  );
}
