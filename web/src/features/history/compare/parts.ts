/** The results of several jobs, sorted by how they are compared. */
import type { Content } from "@/components/results/content";
import { formatScalar } from "@/components/results/numbers";
import { isReadable, type Line, linesOf } from "./lines";

/** One part of each result, in the order of the jobs. */
export interface Part {
  name: string;
  contents: (Content | null)[];
}

export interface Parts {
  lines: Line[];
  shown: Part[];
}

const MAX_TEXT = 200;

/** Single values become lines; everything else is shown. */
export function partsOf(results: (Content | null)[], errors: unknown[]): Parts {
  const flat = results.map((content) => (content ? flattened(content) : new Map<string, Content>()));
  const names = [...new Set(flat.flatMap((each) => [...each.keys()]))];
  const parts = names.map((name) => ({ name, contents: flat.map((each) => each.get(name) ?? null) }));
  const listed = parts.filter(isListed);
  const documents = results.map((_, index) => ({
    ...(errors[index] as object),
    ...Object.fromEntries(listed.flatMap(({ name, contents }) => entriesOf(name, contents[index] ?? null))),
  }));
  return { lines: linesOf(documents), shown: parts.filter((part) => !listed.includes(part)) };
}

function flattened(content: Content, prefix = ""): Map<string, Content> {
  if (content.kind !== "parts") return new Map([[prefix, content]]);
  const join = (name: string) => [prefix, name].filter(Boolean).join(".");
  return new Map(content.parts.flatMap(([name, each]) => [...flattened(each, join(name))]));
}

function isListed({ contents }: Part): boolean {
  const found = contents.filter((each) => each !== null);
  if (found.some(({ kind }) => kind === "tree"))
    return found.every(({ kind }) => kind === "tree") && isReadable(linesOf(found.map(treeOf)));
  return found.every(isSingle);
}

function isSingle(content: Content): boolean {
  if (content.kind === "text" || content.kind === "link") return content.text.length <= MAX_TEXT;
  return content.kind === "scalar" || content.kind === "cards";
}

function treeOf(content: Content): unknown {
  return content.kind === "tree" ? content.value : null;
}

function entriesOf(name: string, content: Content | null): [string, unknown][] {
  const join = (inner: string) => [name, inner].filter(Boolean).join(".");
  switch (content?.kind) {
    case "scalar":
      return [[name || "value", formatScalar(content.value)]];
    case "cards":
      return content.entries.map(([inner, value]) => [join(inner), formatScalar(value)]);
    case "text":
    case "link":
      return [[name || "value", content.text]];
    case "tree":
      return name ? [[name, content.value]] : Object.entries(content.value as object);
    default:
      return [];
  }
}
