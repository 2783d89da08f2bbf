import type { Row } from "./content";

/** RFC 4180: quoted fields may contain commas, line breaks and doubled quotes. */
export function csv(text: string, separator = ","): Row[] {
  const lines: string[][] = [[]];
  const field =
    separator === "\t"
      ? /(?:"((?:[^"]|"")*)"|([^"\t\r\n]*))(\t|\r?\n|$)/g
      : /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g;
  for (const [, quoted, plain, end] of text.matchAll(field)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === "") break;
    if (end !== separator) lines.push([]);
  }
  const [names = [], ...rows] = lines.filter((line) => line.length > 1 || line[0] !== "");
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ""])));
}

/** Cells that a spreadsheet would take for a formula are quoted with an apostrophe. */
export function toCsv(columns: string[], rows: unknown[][]): string {
  const cell = (value: unknown) => {
    const text = value === null || value === undefined ? "" : String(value);
    const safe = typeof value === "string" && /^[=+@\t\r-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text; // biome-ignore format: one line
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [columns, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
