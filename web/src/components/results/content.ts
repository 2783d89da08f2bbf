/** Displayable content of a result, a preview or a file. */
export type Row = Record<string, unknown>;
export type Plot = { data: unknown[]; layout?: Record<string, unknown> };

export type Content =
  | { kind: "table"; rows: Row[] }
  | { kind: "plot"; plot: Plot }
  | { kind: "image"; source: string }
  | { kind: "markdown"; text: string }
  | { kind: "text"; text: string }
  | { kind: "parts"; parts: [name: string, content: Content][] }
  | { kind: "json"; value: unknown };

const MAX_PARTS = 20;

/** Chooses how to show a value by its shape. */
export function contentOf(value: unknown): Content {
  if (typeof value === "string") return textContentOf(value);
  if (isPlot(value)) return { kind: "plot", plot: value };
  if (isTable(value)) return { kind: "table", rows: value };
  if (!isObject(value)) return { kind: "json", value };
  const entries = Object.entries(value);
  const [first] = entries;
  if (first && entries.length === 1 && first[0] === "markdown" && typeof first[1] === "string")
    return { kind: "markdown", text: first[1] };
  const parts = entries.map(([name, each]) => [name, contentOf(each)] as [string, Content]);
  const isPlain = parts.every(([, { kind }]) => kind === "json" || kind === "text");
  return isPlain || parts.length > MAX_PARTS ? { kind: "json", value } : { kind: "parts", parts };
}

function textContentOf(text: string): Content {
  if (/^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/.test(text)) return { kind: "image", source: text };
  if (/^#{1,6} \S|\n#{1,6} \S|\n```/.test(text)) return { kind: "markdown", text };
  return { kind: "text", text };
}

function isObject(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPlot(value: unknown): value is Plot {
  return isObject(value) && Array.isArray(value.data) && isObject(value.layout);
}

/** A list of flat records with common keys. */
function isTable(value: unknown): value is Row[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return false;
  const names = Object.keys(value[0] ?? {});
  const isFlat = (row: Row) => Object.values(row).every((each) => typeof each !== "object" || each === null);
  return names.length > 0 && value.every((row) => isFlat(row) && names.some((name) => name in row));
}

/** Reads a response body by its media type. */
export async function readContent(response: Response): Promise<Content> {
  const type = response.headers.get("content-type")?.split(";")[0] ?? "";
  if (type.startsWith("image/")) return { kind: "image", source: await dataUrl(await response.blob()) };
  const text = await response.text();
  if (type === "text/markdown") return { kind: "markdown", text };
  if (type === "text/csv") return { kind: "table", rows: csv(text) };
  if (type.endsWith("json")) return contentOf(JSON.parse(text));
  return { kind: "text", text };
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** RFC 4180: quoted fields may contain commas, line breaks and doubled quotes. */
export function csv(text: string): Row[] {
  const lines: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === "") break;
    if (end !== ",") lines.push([]);
  }
  const [names = [], ...rows] = lines.filter((line) => line.length > 1 || line[0] !== "");
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ""])));
}
