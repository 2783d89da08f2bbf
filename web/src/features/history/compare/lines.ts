/** The values at one path of several documents. */
export interface Line {
  path: string;
  values: unknown[];
  differs: boolean;
}

const MAX_LINES = 60;
const MAX_TEXT_LENGTH = 400;

/** Line by line, those that differ first. */
export function linesOf(documents: unknown[]): Line[] {
  const leaves = documents.map(leavesOf);
  const paths = [...new Set(leaves.flatMap((each) => [...each.keys()]))];
  const lines = paths.map((path) => lineOf(path, leaves));
  return [...lines.filter(({ differs }) => differs), ...lines.filter(({ differs }) => !differs)];
}

function lineOf(path: string, leaves: Map<string, unknown>[]): Line {
  const values = leaves.map((each) => each.get(path));
  return { path, values, differs: new Set(values.map(textOf)).size > 1 };
}

/** The lines that fit on a page, and how many do not. */
export function shortened(lines: Line[]): { shown: Line[]; more: number } {
  return { shown: lines.slice(0, MAX_LINES), more: Math.max(0, lines.length - MAX_LINES) };
}

/** Long tables and texts are better shown than listed. */
export function isReadable(lines: Line[]): boolean {
  const isShort = (value: unknown) => (textOf(value)?.length ?? 0) <= MAX_TEXT_LENGTH;
  return lines.length <= MAX_LINES && lines.every(({ values }) => values.every(isShort));
}

/** `undefined` if there is no value. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}

function leavesOf(value: unknown): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const walk = (each: unknown, path: string) => {
    const children = typeof each === "object" && each !== null ? Object.entries(each) : [];
    if (children.length === 0 && (path || !isEmpty(each))) leaves.set(path, each);
    for (const [key, child] of children) walk(child, path ? `${path}.${key}` : key);
  };
  walk(value, "");
  return leaves;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === "object" && value !== null);
}
