/** The values at one path of two documents. */
export interface Line {
  path: string;
  left: unknown;
  right: unknown;
  differs: boolean;
}

const MAX_LINES = 60;
const MAX_TEXT_LENGTH = 400;

export function linesOf(left: unknown, right: unknown): Line[] {
  const [ours, theirs] = [leavesOf(left), leavesOf(right)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].map((path) => ({
    path,
    left: ours.get(path),
    right: theirs.get(path),
    differs: textOf(ours.get(path)) !== textOf(theirs.get(path)),
  }));
}

/** Images, plots and long tables are better shown than listed. */
export function isReadable(lines: Line[]): boolean {
  const isShort = (value: unknown) => (textOf(value)?.length ?? 0) <= MAX_TEXT_LENGTH;
  return lines.length <= MAX_LINES && lines.every(({ left, right }) => isShort(left) && isShort(right));
}

/** `undefined` if there is no value. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : JSON.stringify(value);
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
