import type { Figure } from "./content";
import { isObject } from "./envelopes";

type Part = Record<string, unknown>;
const MAX_TICKS = 500;
const MAX_LIST = { shapes: 500, annotations: 500, images: 20, sliders: 5, updatemenus: 5 };
const MAX_TRACES = 500;
const MAX_POINTS = 2_000_000;
const DAY_MS = 86_400_000;

/** A figure that cannot freeze the page: a step such as `dtick: 1e-9` makes Plotly draw a billion lines. */
export function limited({ data, layout = {} }: Figure): Figure {
  const traces = data.filter(isObject).slice(0, MAX_TRACES);
  const points = traces.reduce((sum, trace) => sum + sizeOf(trace), 0);
  if (points > MAX_POINTS) throw new Error(`the plot has ${points} points`);
  const extents = { x: extentOf(traces, layout, "x"), y: extentOf(traces, layout, "y") };
  return {
    data: traces.map((trace) => limitPart(trace, Number.NaN)),
    layout: Object.fromEntries(
      Object.entries(layout).map(([name, each]) => [name, limitLayout(name, each, extents)]),
    ),
  };
}

function limitLayout(name: string, value: unknown, extents: { x: number; y: number }): unknown {
  if (Array.isArray(value))
    return value
      .slice(0, MAX_LIST[name as keyof typeof MAX_LIST] ?? 1000)
      .map((each) => limitAny(each, Number.NaN));
  const letter = /^([xy])axis\d*$/.exec(name)?.[1] as "x" | "y" | undefined;
  return limitAny(value, letter ? extents[letter] : Number.NaN);
}

function limitAny(value: unknown, extent: number): unknown {
  return isObject(value) ? limitPart(value, extent) : value;
}

/** Steps are kept if they divide the known extent into a sensible number of parts. */
function limitPart(part: Part, extent: number): Part {
  const kept: Part = {};
  for (const [name, value] of Object.entries(part)) {
    if (name === "dtick") {
      if (isSensible(stepOf(value), extent)) kept[name] = value;
    } else if (name === "size" && "start" in part && "end" in part) {
      if (isSensible(Number(value), Number(part.end) - Number(part.start))) kept[name] = value;
    } else if (["nticks", "ncontours", "nbinsx", "nbinsy"].includes(name)) {
      kept[name] = Math.min(Number(value) || 0, MAX_TICKS);
    } else if (name === "tickvals" || name === "ticktext") {
      kept[name] = Array.isArray(value) ? value.slice(0, MAX_TICKS) : value;
    } else if (name !== "template") kept[name] = limitAny(value, extent);
  }
  return kept;
}

function isSensible(step: number, extent: number): boolean {
  return step > 0 && extent / step <= MAX_TICKS;
}

/** A number, or months as in "M3"; logarithmic steps such as "D1" are few. */
function stepOf(dtick: unknown): number {
  if (typeof dtick !== "string") return Number(dtick);
  if (/^D[12]$/.test(dtick)) return Number.POSITIVE_INFINITY;
  const months = /^M(\d{1,4})$/.exec(dtick)?.[1];
  return months ? Number(months) * 28 * DAY_MS : Number(dtick);
}

function extentOf(traces: Part[], layout: Part, letter: "x" | "y"): number {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const widen = (value: unknown) => {
    const number =
      typeof value === "string" && Number.isNaN(Number(value)) ? Date.parse(value) : Number(value);
    if (number < low) low = number;
    if (number > high) high = number;
  };
  for (const trace of traces) {
    const values = trace[letter];
    if (Array.isArray(values)) for (const value of values) widen(value);
    else if (isObject(values))
      return Number.POSITIVE_INFINITY; // binary: not worth decoding here
    else widen(0);
    if (!Array.isArray(values)) widen(sizeOf(trace));
  }
  for (const [name, axis] of Object.entries(layout))
    if (name.startsWith(`${letter}axis`) && isObject(axis) && Array.isArray(axis.range))
      axis.range.forEach(widen);
  return high >= low ? high - low : 0;
}

function sizeOf(trace: Part): number {
  return Math.max(0, ...["x", "y", "z", "values", "r"].map((name) => lengthOf(trace[name])));
}

function lengthOf(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  return Array.isArray(value[0]) ? value.length * value[0].length : value.length;
}
