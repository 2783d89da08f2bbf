/** Displayable content of a result, a preview or a file: chosen by type, or else by shape. */
import { csv } from "./csv";
import { type Envelope, isEnvelope, isObject, reveal } from "./envelopes";

export type Row = Record<string, unknown>;
export type Figure = { data: unknown[]; layout?: Record<string, unknown> };
export type Scalar = string | number | bigint | boolean | null;
export type Series = { name: string; y: number[] };
/** The bytes of an image or a document: in an address of their own, or in an artifact of the job. */
export type Source = { url: string } | { artifact: string };
export type Medium = "image" | "video" | "audio" | "pdf" | "file";

export type Content =
  | { kind: "scalar"; value: Scalar }
  | { kind: "cards"; entries: [name: string, value: Scalar][] }
  | { kind: "table"; rows: Row[] }
  | { kind: "line"; x: number[] | null; xName: string; series: Series[] }
  | { kind: "matrix"; rows: number[][] }
  | { kind: "pixels"; rows: number[][][] }
  | { kind: "plot"; plot: Figure }
  | { kind: "vega"; spec: Record<string, unknown> }
  | { kind: "medium"; medium: Medium; source: Source; mediaType: string }
  | { kind: "gallery"; images: Source[] }
  | { kind: "file"; artifact: string }
  | { kind: "markdown" | "html" | "text" | "link"; text: string }
  | { kind: "atoms"; text: string; formula: string }
  | { kind: "repr"; text: string; note: string }
  | { kind: "parts"; parts: [name: string, content: Content][] }
  | { kind: "tree"; value: unknown };

const MAX_PARTS = 30;
const MAX_CARDS = 60;
const MAX_SERIES = 12;
const MAX_DEPTH = 4;
const AXES = ["x", "t", "time", "step", "epoch"];

export function contentOf(value: unknown): Content {
  return shapeOf(reveal(value), 0);
}

function shapeOf(value: unknown, depth: number): Content {
  if (depth > MAX_DEPTH) return { kind: "tree", value };
  if (isEnvelope(value)) return typeOf(value) ?? { kind: "tree", value };
  if (typeof value === "string") return textContentOf(value);
  if (Array.isArray(value)) return listContentOf(value, depth);
  if (isObject(value)) return objectContentOf(value, depth);
  return { kind: "scalar", value: value as Scalar };
}

function typeOf(envelope: Envelope): Content | null {
  const text = typeof envelope.text === "string" ? envelope.text : null;
  switch (envelope.$type) {
    case "table":
      return isObject(envelope.columns) ? { kind: "table", rows: rowsOf(envelope.columns) } : null;
    case "plotly":
      return isPlot(envelope.figure) ? { kind: "plot", plot: envelope.figure } : null;
    case "vega-lite":
      return isObject(envelope.spec) ? { kind: "vega", spec: envelope.spec } : null;
    case "bytes":
      return mediumOf(envelope);
    case "file":
      return typeof envelope.artifact === "string" ? { kind: "file", artifact: envelope.artifact } : null;
    case "stream":
      return Array.isArray(envelope.items) ? itemsContentOf(envelope.items) : null;
    case "item": // one that was too large to be sent by itself
      return typeof envelope.artifact === "string" ? { kind: "file", artifact: envelope.artifact } : null;
    case "markdown":
    case "html":
      return text === null ? null : { kind: envelope.$type, text };
    case "atoms":
      return text === null ? null : { kind: "atoms", text, formula: String(envelope.formula ?? "") };
    case "repr":
      return text === null ? null : { kind: "repr", text, note: String(envelope.note ?? "") };
    default:
      return null;
  }
}

/** What a `run()` has yielded so far: texts are one text that grows. */
export function itemsContentOf(items: unknown[]): Content {
  const shown = items.map(reveal);
  if (shown.length > 0 && shown.every((each) => typeof each === "string" && !isImage(each)))
    return textContentOf(shown.join(""));
  return shapeOf(shown, 0);
}

function isImage(text: string): boolean {
  return textContentOf(text).kind === "medium";
}

export function rowsOf(columns: Record<string, unknown>): Row[] {
  const names = Object.keys(columns);
  const lists = Object.values(columns).map((each) => (Array.isArray(each) ? each : []));
  const length = Math.max(0, ...lists.map((each) => each.length));
  return Array.from({ length }, (_, row) =>
    Object.fromEntries(names.map((name, column) => [name, lists[column]?.[row] ?? null])),
  );
}

function mediumOf({ media_type, base64, artifact }: Envelope): Content | null {
  const mediaType = typeof media_type === "string" ? media_type : "application/octet-stream";
  if (typeof artifact === "string")
    return { kind: "medium", medium: mediumFor(mediaType), source: { artifact }, mediaType };
  if (typeof base64 !== "string") return null;
  const url = `data:${mediaType};base64,${base64}`;
  return { kind: "medium", medium: mediumFor(mediaType), source: { url }, mediaType };
}

export function mediumFor(mediaType: string): Medium {
  if (mediaType === "application/pdf") return "pdf";
  const group = mediaType.split("/")[0];
  return group === "image" || group === "video" || group === "audio" ? group : "file";
}

function textContentOf(text: string): Content {
  if (/^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/.test(text)) return imageOf(text);
  if (/^https?:\/\/[^\s]{1,2000}$/.test(text)) return { kind: "link", text };
  if (/^\s*<(!doctype html|html)[\s>]/i.test(text)) return { kind: "html", text };
  if (/^#{1,6} \S|\n#{1,6} \S|(^|\n)```|(^|\n)\$\$/.test(text)) return { kind: "markdown", text };
  return { kind: "text", text };
}

function imageOf(url: string): Content {
  return { kind: "medium", medium: "image", source: { url }, mediaType: url.slice(5).split(/[;,]/)[0] ?? "" };
}

function listContentOf(list: unknown[], depth: number): Content {
  if (list.length === 0) return { kind: "tree", value: list };
  if (isNumbers(list) && list.length > 2) return lineOf([["value", list]], null, "index");
  if (isMatrix(list)) return { kind: "matrix", rows: list };
  if (isPixels(list)) return { kind: "pixels", rows: list };
  if (isRecords(list)) return recordsContentOf(list);
  const images = imagesIn(list);
  if (images) return { kind: "gallery", images };
  if (list.every(isScalar)) return { kind: "table", rows: list.map((value) => ({ value })) };
  const parts = list.slice(0, MAX_PARTS).map((each) => shapeOf(each, depth + 1));
  if (list.length > MAX_PARTS || parts.every(isPlain)) return { kind: "tree", value: list };
  return { kind: "parts", parts: parts.map((each, index) => [String(index + 1), each]) };
}

function imagesIn(list: unknown[]): Source[] | null {
  const images: Source[] = [];
  for (const each of list) {
    const content = isEnvelope(each) ? typeOf(each) : typeof each === "string" ? textContentOf(each) : null;
    if (content?.kind !== "medium" || content.medium !== "image") return null;
    images.push(content.source);
  }
  return images;
}

function recordsContentOf(rows: Row[]): Content {
  const names = Object.keys(rows[0] ?? {});
  const x = names.find((name) => AXES.includes(name));
  const isCurve =
    x !== undefined &&
    rows.length > 2 &&
    names.length > 1 &&
    names.length <= MAX_SERIES &&
    rows.every(isPoint);
  if (!isCurve) return { kind: "table", rows };
  const column = (name: string) => rows.map((row) => row[name] as number);
  const others = names.filter((name) => name !== x).map((name) => [name, column(name)] as [string, number[]]);
  return lineOf(others, column(x), x);
}

function isPoint(row: Row): boolean {
  return Object.values(row).every((each) => typeof each === "number");
}

function objectContentOf(value: Row, depth: number): Content {
  const entries = Object.entries(value);
  if (entries.length === 0) return { kind: "tree", value };
  if (isPlot(value)) return { kind: "plot", plot: value };
  if (typeof value.$schema === "string" && /\/vega-lite\/v\d/.test(value.$schema))
    return { kind: "vega", spec: value };
  if (entries.length === 1 && typeof value.markdown === "string")
    return { kind: "markdown", text: value.markdown };
  return curvesOf(entries) ?? partsOf(value, entries, depth);
}

/** Lists of equal length, of which one may be the axis. */
function curvesOf(entries: [string, unknown][]): Content | null {
  const length = (entries[0]?.[1] as unknown[] | undefined)?.length ?? 0;
  const isCurves = entries.every(([, each]) => isNumbers(each) && each.length === length);
  if (!isCurves || entries.length < 2 || entries.length > MAX_SERIES || length < 3) return null;
  const lists = entries as [string, number[]][];
  const x = lists.find(([name]) => AXES.includes(name));
  return lineOf(lists.filter((each) => each !== x), x?.[1] ?? null, x?.[0] ?? "index"); // biome-ignore format: one line
}

/** Single values first, as cards; then everything else under its name. */
function partsOf(value: Row, entries: [string, unknown][], depth: number): Content {
  const isCard = ([, each]: [string, unknown]) => isScalar(each) && !isLongText(each);
  const cards = entries.filter(isCard) as [string, Scalar][];
  if (cards.length === entries.length)
    return cards.length > MAX_CARDS
      ? { kind: "table", rows: cards.map(([name, each]) => ({ name, value: each })) }
      : { kind: "cards", entries: cards };
  if (entries.length - cards.length > MAX_PARTS || cards.length > MAX_CARDS) return { kind: "tree", value };
  const parts = entries
    .filter((each) => !isCard(each))
    .map(([name, each]) => [name, shapeOf(each, depth + 1)] as [string, Content]);
  if (parts.every(([, each]) => isPlain(each)) && !parts.every(([, each]) => isShallow(each)))
    return { kind: "tree", value };
  return {
    kind: "parts",
    parts: cards.length ? [["", { kind: "cards", entries: cards }], ...parts] : parts,
  };
}

function lineOf(lists: [string, number[]][], x: number[] | null, xName: string): Content {
  return { kind: "line", x, xName, series: lists.map(([name, y]) => ({ name, y })) };
}

export function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "bigint", "boolean"].includes(typeof value);
}

function isLongText(value: unknown): boolean {
  return typeof value === "string" && textContentOf(value).kind !== "link" && (value.length > 200 || textContentOf(value).kind !== "text"); // biome-ignore format: one line
}

function isShallow({ kind }: Content): boolean {
  return kind === "cards" || kind === "text";
}

/** Everything in it fits on a line, so a tree shows it just as well. */
function isPlain(content: Content): boolean {
  if (content.kind === "parts") return content.parts.every(([, each]) => isPlain(each));
  return ["tree", "scalar", "cards", "text", "link"].includes(content.kind);
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "number");
}

function isMatrix(value: unknown[]): value is number[][] {
  const width = Array.isArray(value[0]) ? value[0].length : 0;
  return value.length > 1 && width > 1 && value.every((row) => isNumbers(row) && row.length === width);
}

/** Height × width × 3 or 4 samples, as an image in NumPy. */
function isPixels(value: unknown[]): value is number[][][] {
  const first = value[0];
  const [height, width] = [value.length, Array.isArray(first) ? first.length : 0];
  const samples = Array.isArray(first) && Array.isArray(first[0]) ? first[0].length : 0;
  if (height < 8 || width < 8 || (samples !== 3 && samples !== 4)) return false;
  const isPixel = (each: unknown) =>
    isNumbers(each) && each.length === samples && each.every((sample) => sample >= 0 && sample <= 255);
  return value.every((row) => Array.isArray(row) && row.length === width && row.every(isPixel));
}

/** A figure, if it is one. It needs no layout where nothing else is expected. */
export function toFigure(value: unknown): Figure | null {
  const figure = isObject(value) && !("layout" in value) ? { ...value, layout: {} } : value;
  return isPlot(figure) ? figure : null;
}

function isPlot(value: unknown): value is Figure {
  return isObject(value) && Array.isArray(value.data) && isObject(value.layout);
}

/** Objects with common keys. Nested ones become columns with dots in their names. */
function isRecords(value: unknown[]): value is Row[] {
  if (!value.every((each) => isObject(each) && !isEnvelope(each) && !isPlot(each))) return false;
  const names = Object.keys(value[0] as Row);
  return names.length > 0 && value.every((row) => names.some((name) => name in (row as Row)));
}

/** Reads a response body by its media type. */
export async function readContent(response: Response): Promise<Content> {
  const type = response.headers.get("content-type")?.split(";")[0] ?? "";
  if (type.startsWith("image/")) return imageOf(await dataUrl(await response.blob()));
  return textContent(await response.text(), type);
}

export function textContent(text: string, type: string): Content {
  if (type === "text/markdown") return { kind: "markdown", text };
  if (type === "text/html") return { kind: "html", text };
  if (type === "text/csv") return { kind: "table", rows: csv(text) };
  if (type === "text/tab-separated-values") return { kind: "table", rows: csv(text, "\t") };
  if (type.endsWith("json")) return contentOf(JSON.parse(text));
  return { kind: "text", text };
}

export function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
