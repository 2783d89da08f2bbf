/** Which fields are side by side, and which have a slider. */
import type { Schema } from "./resolve";

export type Property = [name: string, node: unknown, schema: Schema];

const MAX_ROW = 4;
const MAX_RANGE = 1000; // of a slider: on a longer one, nobody can hit a value
const MAX_WHOLE_RANGE = 200; // of whole numbers, where each one counts

/** Fields that follow one another and have the same `row` are side by side, up to four. */
export function rowsOf(properties: Property[]): Property[][] {
  const rows: Property[][] = [];
  for (const property of properties) {
    const last = rows.at(-1);
    const { row } = property[2];
    const isSame = typeof row === "string" && last?.[0]?.[2].row === row;
    if (last && isSame && last.length < MAX_ROW) last.push(property);
    else rows.push([property]);
  }
  return rows;
}

/** Whether both limits are inclusive, as a slider needs two end values, and close enough; and there is room. */
export function hasSlider({ type, minimum, maximum, row }: Schema): boolean {
  if (typeof minimum !== "number" || typeof maximum !== "number" || typeof row === "string") return false;
  return minimum < maximum && maximum - minimum <= (type === "integer" ? MAX_WHOLE_RANGE : MAX_RANGE);
}
