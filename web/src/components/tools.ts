import type { Extension } from "@/api/schema";

export interface Category {
  name: string;
  tools: Extension[];
}

/** By category and name, only those that have every word of the search somewhere. */
export function grouped(extensions: Extension[], search = ""): Category[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = extensions.filter((each) => words.every((word) => haystack(each).includes(word)));
  const byName = Map.groupBy(found, (each) => each.category);
  return [...byName]
    .map(([name, tools]) => ({ name, tools: tools.toSorted(alphabetically) }))
    .sort(alphabetically);
}

/** These names are ASCII. For others, the browser takes its time to load the rules of a language. */
function alphabetically(a: { name: string }, b: { name: string }): number {
  const [one, other] = [a.name.toLowerCase(), b.name.toLowerCase()];
  return one < other ? -1 : one > other ? 1 : 0;
}

function haystack({ category, name, schema }: Extension): string {
  return `${category} ${name} ${titleOf(name)} ${summaryOf(schema)}`.toLowerCase();
}

/** `EstimatePi` reads "Estimate pi". */
export function titleOf(name: string): string {
  const words = name
    .replace(/[_-]+/g, " ")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(" ")
    .filter(Boolean)
    .map((word) => (word.length > 1 && word === word.toUpperCase() ? word : word.toLowerCase()));
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The first paragraph of what the author wrote. */
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
