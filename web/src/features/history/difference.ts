/** Two documents as one list of what stands at each place in either. */
export interface Line {
  path: string;
  left: unknown;
  right: unknown;
  differs: boolean;
}

const MOST_LINES = 60;
const LONGEST_TEXT = 400;

export function linesOf(left: unknown, right: unknown): Line[] {
  const [ours, theirs] = [leavesOf(left), leavesOf(right)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].map((path) => ({
    path,
    left: ours.get(path),
    right: theirs.get(path),
    differs: textOf(ours.get(path)) !== textOf(theirs.get(path)),
  }));
}

/** Pictures, plots and long tables are better seen than spelled. */
export function isReadable(lines: Line[]): boolean {
  const isShort = (value: unknown) => (textOf(value)?.length ?? 0) <= LONGEST_TEXT;
  return lines.length <= MOST_LINES && lines.every(({ left, right }) => isShort(left) && isShort(right));
}

/** `undefined` for what is not there. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function leavesOf(value: unknown): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const walk = (each: unknown, path: string) => {
    const inside = typeof each === "object" && each !== null ? Object.entries(each) : [];
    if (inside.length === 0 && (path || !isEmpty(each))) leaves.set(path, each);
    for (const [key, child] of inside) walk(child, path ? `${path}.${key}` : key);
  };
  walk(value, "");
  return leaves;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === "object" && value !== null);
}
