/** Numbers pasted from a spreadsheet, a CSV file or a terminal. */
import { parseNumber } from "./number";
import type { Parsed } from "./parsed";

/** One list of numbers, separated by spaces, commas, semicolons, tabs or lines. */
export function parseNumbers(typed: string, isWhole = false): Parsed<number[]> {
  return numbersOf(withoutBrackets(typed), isWhole);
}

/** One list per line, or per pair of brackets. */
export function parseGrid(typed: string, isWhole = false): Parsed<number[][]> {
  const rows: number[][] = [];
  for (const [index, line] of linesOf(typed).entries()) {
    const row = numbersOf(withoutBrackets(line), isWhole);
    if ("problem" in row) return { problem: `row ${index + 1}: ${row.problem}` };
    rows.push(row.value);
  }
  return { value: rows };
}

function linesOf(typed: string): string[] {
  const text = typed.trim();
  const isNested = /^\[\s*\[/.test(text);
  return (isNested ? text.split(/\]\s*,?/) : text.split(/\r?\n/)).filter((line) => /[^\s[\]]/.test(line));
}

function withoutBrackets(text: string): string {
  return text
    .trim()
    .replace(/^[[(]+/, "")
    .replace(/[\])]+,?$/, "");
}

function numbersOf(text: string, isWhole: boolean): Parsed<number[]> {
  if (text.includes(";") && text.includes(","))
    return { problem: "mixes commas and semicolons: use points for decimals" };
  const numbers: number[] = [];
  for (const [index, each] of split(text).entries()) {
    if (/^[+-]?0\d/.test(each))
      return { problem: `“${each}” begins with a zero: separate numbers by spaces` };
    const parsed = parseNumber(each, isWhole);
    if ("problem" in parsed)
      return { problem: `“${shortened(each)}” (number ${index + 1}) ${parsed.problem}` };
    numbers.push(parsed.value);
  }
  return { value: numbers };
}

function split(text: string): string[] {
  const pieces = text.split(/\s*[,;]\s*|\s+/);
  return pieces.filter((each, index) => each || (index > 0 && index < pieces.length - 1));
}

function shortened(text: string): string {
  return text.length > 20 ? `${text.slice(0, 20)}…` : text;
}
