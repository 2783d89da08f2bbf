import type { LogLine } from "@/api/schema";

/** Hours, minutes and seconds of the reader's clock. */
export function timeOf({ at }: Pick<LogLine, "at">): string {
  const time = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** The lines that contain the text, or are of the level or stream with that name. */
export function matching(lines: LogLine[], filter: string): LogLine[] {
  const wanted = filter.trim().toLowerCase();
  if (!wanted) return lines;
  return lines.filter(({ text, level, stream }) =>
    [text, level ?? "", stream].some((each) => each.toLowerCase().includes(wanted)),
  );
}

export function logText(lines: LogLine[]): string {
  return lines.map(({ at, level, text }) => `${at} ${level ? `${level} ` : ""}${text}\n`).join("");
}
