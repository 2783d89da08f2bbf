import type { Extension } from "@/api/schema";

export interface Category {
  name: string;
  tools: Extension[];
}

/** Tools that contain every word of the search, grouped by category and sorted by name. */
export function groupTools(extensions: Extension[], search = ""): Category[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = extensions.filter((each) => words.every((word) => searchText(each).includes(word)));
  const categories = Map.groupBy(found, (each) => each.category);
  return [...categories].map(([name, tools]) => ({ name, tools: tools.toSorted(byName) })).sort(byName);
}

/** These names are ASCII, so the slow `localeCompare` is not needed. */
function byName(a: { name: string }, b: { name: string }): number {
  const [one, other] = [a.name.toLowerCase(), b.name.toLowerCase()];
  return one < other ? -1 : one > other ? 1 : 0;
}

function searchText({ category, name, schema }: Extension): string {
  return `${category} ${name} ${titleOf(name)} ${summaryOf(schema)}`.toLowerCase();
}

/** `EstimatePi` becomes "Estimate pi". */
export function titleOf(name: string): string {
  const words = name
    .replace(/[_-]+/g, " ")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([a-z])(\d+) ([A-Z])\b/g, "$1 $2$3")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(" ")
    .filter(Boolean)
    .map((word) => (word.length > 1 && word === word.toUpperCase() ? word : word.toLowerCase()));
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The first paragraph of the tool's docstring. */
export function summaryOf(schema: Extension["schema"]): string {
  const text = typeof schema.description === "string" ? schema.description : "";
  return (
    text
      .split(/\n\s*\n/)[0]
      ?.replace(/\s+/g, " ")
      .trim() ?? ""
  );
}

export function pathOf({ category, name }: { category: string; name: string }): string {
  return `/run/${encodeURIComponent(category)}/${encodeURIComponent(name)}`;
}
