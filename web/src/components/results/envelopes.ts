/** Values that JSON has no word for travel in objects with a `$type`; docs/results.md describes them. */
export type Envelope = { $type: string } & Record<string, unknown>;

const FLOATS: Record<string, number> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};
const MAX_DIGITS = 10_000;

export function isEnvelope(value: unknown): value is Envelope {
  return isObject(value) && typeof value.$type === "string";
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Replaces envelopes of numbers and maps by JavaScript's own values. Others stay: they have their own view. */
export function reveal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reveal);
  if (!isObject(value)) return value;
  switch (value.$type) {
    case "float":
      return floats(value.value);
    case "int":
      return typeof value.value === "string" && isInteger(value.value) ? BigInt(value.value) : value;
    case "complex":
      return complex(floats(value.real), floats(value.imag));
    case "map":
      return Array.isArray(value.items) ? map(value.items) : value;
    case "plotly":
    case "vega-lite":
      return value;
    default:
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, reveal(each)]));
  }
}

function isInteger(text: string): boolean {
  return text.length <= MAX_DIGITS && /^-?\d+$/.test(text);
}

function floats(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(floats);
  return typeof value === "string" ? (FLOATS[value] ?? value) : value;
}

function complex(real: unknown, imaginary: unknown): unknown {
  if (Array.isArray(real) && Array.isArray(imaginary))
    return real.map((each, index) => complex(each, imaginary[index]));
  if (typeof real !== "number" || typeof imaginary !== "number") return `${real}, ${imaginary}`;
  const sign = Number(imaginary) < 0 ? "−" : "+";
  return `${real} ${sign} ${Math.abs(Number(imaginary))}i`;
}

function map(items: unknown[]): Record<string, unknown> {
  const pairs = items.filter((each) => Array.isArray(each)) as [unknown, unknown][];
  return Object.fromEntries(pairs.map(([key, each]) => [keyText(reveal(key)), reveal(each)]));
}

function keyText(key: unknown): string {
  return Array.isArray(key) ? key.map(keyText).join(", ") : String(key);
}
