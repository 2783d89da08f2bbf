import type { LogLine } from "@/api/schema";

/** The items that an attempt has yielded: JSON, among the lines of its output. */
export function itemsOf(lines: LogLine[], attempt: number): unknown[] {
  return lines
    .filter((line) => line.stream === "item" && line.attempt === attempt)
    .map(({ text }) => parse(text));
}

export function withoutItems(lines: LogLine[]): LogLine[] {
  return lines.some(isItem) ? lines.filter((line) => !isItem(line)) : lines;
}

function isItem({ stream }: LogLine): boolean {
  return stream === "item";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // cut off by a worker of another kind
  }
}
