/** Several values in one line, as in `1:10`, `0.1, 0.05` or `logspace(-3, 0, 5)`. */
import type { Schema } from "../schema/resolve";
import { parseNumber } from "./number";
import type { Parsed } from "./parsed";

export const MAX_VALUES = 1000;

const RANGE = /^([^:]+):([^:]+)(?::([^:]+))?$/;
const SPACE = /^(lin|log)space\((.*)\)$/i;
const TOO_MANY = `has too many values: the limit is ${MAX_VALUES.toLocaleString("en")}`;

/** The values, each once, in the order in which they were typed. */
export function parseSeveral(typed: string, schema: Schema): Parsed<unknown[]> {
  const values: unknown[] = [];
  for (const part of partsOf(typed)) {
    const parsed = parsePart(part, schema);
    if ("problem" in parsed) return { problem: `${part}: ${parsed.problem}` };
    values.push(...parsed.value);
    if (values.length > MAX_VALUES) return { problem: TOO_MANY };
  }
  return values.length ? { value: [...new Set(values)] } : { problem: "needs at least one value" };
}

/** Commas separate, but not in brackets or quotes. */
function partsOf(typed: string): string[] {
  const parts = typed.match(/(?:"[^"]*"|\([^)]*\)|[^,])+/g) ?? [];
  return parts.map((part) => part.trim()).filter(Boolean);
}

function parsePart(part: string, schema: Schema): Parsed<unknown[]> {
  if (Array.isArray(schema.enum)) return parseChoice(part, schema.enum);
  if (schema.type === "string") return { value: [unquoted(part)] };
  const isWhole = schema.type === "integer";
  const space = SPACE.exec(part);
  if (space) return parseSpace(space[1] === "log", (space[2] ?? "").split(","), isWhole);
  const range = RANGE.exec(part);
  if (range) return parseRange(range[1] ?? "", range[2] ?? "", range[3] ?? "1", isWhole);
  return numbers([part], isWhole);
}

function parseChoice(part: string, choices: unknown[]): Parsed<unknown[]> {
  const found = choices.find((choice) => String(choice) === unquoted(part));
  return found === undefined ? { problem: "is not one of the choices" } : { value: [found] };
}

function unquoted(part: string): string {
  return /^".*"$/.test(part) ? part.slice(1, -1) : part;
}

/** Both ends belong to a range. */
function parseRange(first: string, last: string, step: string, isWhole: boolean): Parsed<number[]> {
  const parsed = numbers([first, last, step], isWhole);
  if ("problem" in parsed) return parsed;
  const [from = 0, to = 0, by = 1] = parsed.value;
  if (by === 0) return { problem: "needs a step that is not zero" };
  const count = Math.floor((to - from) / by + 1e-9) + 1;
  if (count < 1)
    return {
      problem: `is an empty range: to count ${to < from ? "down" : "up"}, write ${from}:${to}:${-by}`,
    };
  return evenly(count, (index) => from + index * by);
}

/** As in NumPy: `logspace` takes powers of ten. */
function parseSpace(isLog: boolean, parts: string[], isWhole: boolean): Parsed<number[]> {
  const parsed = numbers(parts, false);
  if ("problem" in parsed) return parsed;
  const [from = 0, to = 0, count = 0] = parsed.value;
  if (parts.length !== 3 || !Number.isInteger(count) || count < 1)
    return { problem: "needs a start, an end and how many" };
  const at = (index: number) => (count === 1 ? from : from + ((to - from) * index) / (count - 1));
  const spaced = evenly(count, (index) => (isLog ? 10 ** at(index) : at(index)));
  if ("problem" in spaced || !isWhole || spaced.value.every(Number.isSafeInteger)) return spaced;
  return { problem: "has values that are not whole numbers" };
}

/** Twelve digits, so that 0:1:0.1 has 0.3 and not 0.30000000000000004. */
function evenly(count: number, at: (index: number) => number): Parsed<number[]> {
  if (count > MAX_VALUES) return { problem: TOO_MANY };
  const value = Array.from({ length: count }, (_, index) => Number(at(index).toPrecision(12)));
  return value.every(Number.isFinite) ? { value } : { problem: "is too large for a number" };
}

function numbers(texts: string[], isWhole: boolean): Parsed<number[]> {
  const value: number[] = [];
  for (const text of texts) {
    const parsed = parseNumber(text, isWhole);
    if ("problem" in parsed) return parsed;
    value.push(parsed.value);
  }
  return { value };
}
