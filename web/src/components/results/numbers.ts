import type { Scalar } from "./content";

/** Six significant digits; the whole number is in the title of what shows it. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en");
  const short = Number(value.toPrecision(6));
  return short !== 0 && (Math.abs(short) < 1e-4 || Math.abs(short) >= 1e9)
    ? short.toExponential()
    : String(short);
}

export function formatScalar(value: Scalar): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "bigint") return String(value);
  return isTime(value) ? formatTime(value) : value;
}

export function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text);
}

/** As it was written, in words: a result should not depend on where it is read. */
function formatTime(text: string): string {
  const [date = "", time = ""] = text.split(/[T ]/);
  const [year, month, day] = date.split("-").map(Number);
  const at = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day ?? 1));
  if (Number.isNaN(at.getTime())) return text;
  const name = at.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  });
  return time ? `${name}, ${time.replace(/\.\d+/, "").replace(/(Z|\+00:?00)$/, " UTC")}` : name;
}
