/** One line about a result, or its image, from the JSON of a list. It looks only at the surface. */
import { formatBytes, pluralize } from "./format";
import type { Scalar, Source } from "./results/content";
import { isEnvelope, isObject } from "./results/envelopes";
import { formatScalar } from "./results/numbers";
import { isReference } from "./results/references";

export interface Summary {
  text: string;
  image?: Source;
}

const MAX_TEXT = 120;
const MAX_ENTRIES = 4;
const MAX_IMAGE_BYTES = 3_000_000;

export function resultSummary(result: unknown): Summary | null {
  if (result === null || result === undefined) return null;
  if (typeof result === "string") return textSummary(result);
  if (Array.isArray(result)) return listSummary(result);
  if (isEnvelope(result)) return envelopeSummary(result);
  if (isReference(result)) return { text: `${formatBytes(result.size)} of JSON` };
  if (isObject(result)) return objectSummary(result);
  return { text: formatScalar(result as Scalar) };
}

function textSummary(text: string): Summary {
  if (/^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/.test(text))
    return { text: "image", image: { url: text } };
  return { text: firstLine(text) };
}

/** The first line of Markdown or plain text, without its marks. */
function firstLine(text: string): string {
  const lines = text.slice(0, 2000).split("\n");
  const line = lines.find((each) => each.trim()) ?? "";
  return shorten(
    line
      .replace(/^#+ /, "")
      .replace(/\*\*|`/g, "")
      .trim(),
  );
}

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

function listSummary(list: unknown[]): Summary {
  const [first] = list;
  if (Array.isArray(first)) return { text: `${list.length} × ${first.length}` };
  if (typeof first === "number") return { text: pluralize(list.length, "number") };
  const image = resultSummary(first)?.image;
  if (image) return { text: pluralize(list.length, "image"), image };
  return { text: pluralize(list.length, isObject(first) && !isEnvelope(first) ? "row" : "item") };
}

function envelopeSummary(envelope: { $type: string } & Record<string, unknown>): Summary | null {
  switch (envelope.$type) {
    case "float":
    case "int":
      return {
        text: Array.isArray(envelope.value) ? listSummary(envelope.value).text : String(envelope.value),
      };
    case "complex":
      return { text: `${envelope.real} + ${envelope.imag}i` };
    case "table":
      return { text: tableText(envelope.columns) };
    case "bytes":
    case "file":
      return fileSummary(envelope);
    case "plotly":
      return { text: "plot" };
    case "vega-lite":
      return { text: "chart" };
    case "html":
      return { text: "HTML" };
    case "atoms":
      return { text: String(envelope.formula ?? "atoms") };
    case "stream":
      return Array.isArray(envelope.items) ? listSummary(envelope.items) : null;
    default:
      return typeof envelope.text === "string"
        ? { text: firstLine(envelope.text) }
        : { text: envelope.$type };
  }
}

function tableText(columns: unknown): string {
  if (!isObject(columns)) return "table";
  const lists = Object.values(columns);
  const rows = Array.isArray(lists[0]) ? lists[0].length : 0;
  return `${pluralize(rows, "row")}, ${pluralize(lists.length, "column")}`;
}

function fileSummary({ media_type, base64, artifact, size }: Record<string, unknown>): Summary {
  const type = String(media_type ?? "file");
  const isImage = /^image\/(png|jpeg|gif|webp)$/.test(type) && Number(size ?? 0) <= MAX_IMAGE_BYTES;
  const text =
    typeof size === "number" ? `${nameOf(artifact, type)}, ${formatBytes(size)}` : nameOf(artifact, type);
  if (!isImage) return { text };
  if (typeof artifact === "string") return { text, image: { artifact } };
  return typeof base64 === "string" ? { text, image: { url: `data:${type};base64,${base64}` } } : { text };
}

function nameOf(artifact: unknown, type: string): string {
  return typeof artifact === "string" ? artifact : type;
}

function objectSummary(value: Record<string, unknown>): Summary {
  if (Array.isArray(value.data) && isObject(value.layout)) return { text: "plot" };
  const entries = Object.entries(value).slice(0, 30);
  const image = entries.map(([, each]) => imageIn(each)).find((each) => each !== undefined);
  const parts = entries.flatMap(([name, each]) => {
    const text = valueText(each);
    return text === null ? [] : [`${name} ${text}`];
  });
  const text = parts.length
    ? parts.slice(0, MAX_ENTRIES).join(" · ")
    : entries.map(([name]) => name).join(", ");
  return { text: shorten(text), ...(image && { image }) };
}

function imageIn(value: unknown): Source | undefined {
  return isEnvelope(value) || typeof value === "string" ? resultSummary(value)?.image : undefined;
}

/** Of a value that fits into a line with others. */
function valueText(value: unknown): string | null {
  if (isEnvelope(value))
    return ["float", "int"].includes(value.$type) ? (resultSummary(value)?.text ?? null) : null;
  if (typeof value === "string") return /^(?!data:)[^\n]{0,40}$/.test(value) ? value : null;
  if (Array.isArray(value) || isObject(value)) return null;
  return formatScalar(value as Scalar);
}
