/** The rows of a tree that are visible when its folded parts are left out. */
export interface TreeRow {
  path: string;
  name: string | null;
  depth: number;
  kind: string;
  text: string;
  /** `null` for a row that cannot be folded. */
  isOpen: boolean | null;
}

const MAX_ROWS = 100_000;
const OPEN_ENTRIES = 30;
const OPEN_DEPTH = 2;
const MAX_TEXT = 2000;

/** `toggled` has the paths of the nodes that are not as they would be by themselves. */
export function flatten(value: unknown, toggled: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (name: string | null, each: unknown, path: string, depth: number) => {
    if (rows.length >= MAX_ROWS) return;
    const entries = typeof each === "object" && each !== null ? Object.entries(each) : [];
    if (entries.length === 0) {
      rows.push({ path, name, depth, kind: kindOf(each), text: textOf(each), isOpen: null });
      return;
    }
    const isOpen =
      (depth === 0 || (depth < OPEN_DEPTH && entries.length <= OPEN_ENTRIES)) !== toggled.has(path);
    const [open, close] = Array.isArray(each) ? "[]" : "{}";
    rows.push({ path, name, depth, kind: "group", text: `${open} ${entries.length} ${close}`, isOpen });
    if (isOpen) for (const [key, inner] of entries) add(key, inner, `${path}/${key}`, depth + 1);
  };
  add(null, value, "", 0);
  if (rows.length >= MAX_ROWS)
    rows.push({ path: "more", name: null, depth: 0, kind: "group", text: "… and more", isOpen: null });
  return rows;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "bigint" ? "number" : typeof value;
}

function textOf(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
