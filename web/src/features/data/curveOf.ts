export interface CurvePath {
  /** For an SVG path; empty if there is nothing to draw. */
  path: string;
  min: number;
  max: number;
}

const MARGIN = 2;

/** A line through the values. It is interrupted where one is missing. */
export function curveOf(values: ArrayLike<number>, width: number, height: number): CurvePath {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (!Number.isFinite(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  if (min > max) return { path: "", min: Number.NaN, max: Number.NaN };
  const x = (index: number) => (values.length === 1 ? width / 2 : (index * width) / (values.length - 1));
  const y = (value: number) =>
    max === min ? height / 2 : height - MARGIN - ((value - min) / (max - min)) * (height - 2 * MARGIN);
  const parts: string[] = [];
  let isDrawing = false;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    const isNumber = Number.isFinite(value);
    if (isNumber) parts.push(`${isDrawing ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`);
    if (isNumber && !isDrawing) parts.push("h0.1"); // a single value is a dot
    isDrawing = isNumber;
  }
  return { path: parts.join(""), min, max };
}
