import type { Row } from "./content";
import { isEnvelope, isObject } from "./envelopes";
import { formatNumber } from "./numbers";

export type Order = { column: string; isAscending: boolean } | null;
const MAX_COLUMNS = 100;
const MAX_DEPTH = 3;

/** Nested objects become columns: `{a: {b: 1}}` has the column `a.b`. */
export function flatten(row: Row, depth = 0): Row {
  const flat: Row = {};
  for (const [name, value] of Object.entries(row)) {
    const isNested = isObject(value) && !isEnvelope(value) && depth < MAX_DEPTH;
    if (!isNested) flat[name] = value;
    else
      for (const [inner, each] of Object.entries(flatten(value, depth + 1))) flat[`${name}.${inner}`] = each;
  }
  return flat;
}

export function columnsOf(rows: Row[]): string[] {
  return [...new Set(rows.slice(0, 100).flatMap(Object.keys))].slice(0, MAX_COLUMNS);
}

export function isNumeric(rows: Row[], column: string): boolean {
  const values = rows.slice(0, 100).map((row) => row[column] ?? null).filter((each) => each !== null && each !== ""); // biome-ignore format: one line
  return values.length > 0 && values.every((each) => typeof each !== "boolean" && isNumberLike(each));
}

/** Numbers, and texts of a CSV file that are numbers. */
function isNumberLike(value: unknown): boolean {
  if (typeof value === "number" || typeof value === "bigint") return true;
  return typeof value === "string" && value.trim() !== "" && !Number.isNaN(Number(value));
}

export function search(rows: Row[], text: string): Row[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return rows;
  return rows.filter((row) =>
    Object.values(row).some((each) => cellText(each).toLowerCase().includes(wanted)),
  );
}

export function sort(rows: Row[], order: Order): Row[] {
  if (!order) return rows;
  const { column, isAscending } = order;
  return rows.toSorted((a, b) => (isAscending ? 1 : -1) * compare(a[column], b[column]));
}

const collator = new Intl.Collator("en", { numeric: true });

/** NaN and missing values are last in ascending order. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number")
    return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : Number.isNaN(b) ? -1 : a === b ? 0 : a - b;
  if (a == null || b == null) return a == null ? (b == null ? 0 : 1) : -1;
  return collator.compare(String(a), String(b));
}

export function cellText(value: unknown): string {
  if (typeof value === "number") return formatNumber(value);
  if (value === null || value === undefined) return "";
  if (typeof value !== "object") return String(value);
  const json = JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each)) ?? "";
  return json.length > 200 ? `${json.slice(0, 200)}…` : json;
}
