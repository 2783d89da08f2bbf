import { isObject } from "./envelopes";

const MAX_ROWS = 100_000;
const MAX_STEPS = 500;
const MAX_NODES = 5_000_000;
const COUNTS = ["maxbins", "steps", "tickCount", "count"];

/** Throws if a chart would make far more marks than its data has rows, and so freeze the page. */
export function checkVega(spec: unknown): void {
  const budget = { nodes: MAX_NODES };
  check(spec, budget);
}

function check(part: unknown, budget: { nodes: number }): void {
  if (--budget.nodes < 0) throw new Error("the chart is too large");
  if (Array.isArray(part)) for (const each of part) check(each, budget);
  if (!isObject(part)) return;
  if (isObject(part.sequence)) checkSequence(part.sequence);
  for (const name of COUNTS)
    if (typeof part[name] === "number" && part[name] > MAX_STEPS) throw new Error(`${name} is too large`);
  if (isObject(part.bin) && ("step" in part.bin || "minstep" in part.bin))
    throw new Error("bins may be too many");
  for (const each of Object.values(part)) check(each, budget);
}

function checkSequence({ start, stop, step = 1 }: Record<string, unknown>): void {
  const rows = (Number(stop) - Number(start)) / Number(step);
  if (!(Math.abs(rows) <= MAX_ROWS)) throw new Error("the sequence is too long");
}
