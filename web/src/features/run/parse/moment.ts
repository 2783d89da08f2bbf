/** Dates and times in ISO 8601, which can also be written with a space and without seconds. */
import type { Parsed } from "./parsed";

const DATE = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/;
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,6})?)?\s*(z|utc|[+-]\d{2}:?\d{2})?$/i;

export function parseDate(typed: string): Parsed<string> {
  const match = DATE.exec(typed.trim());
  if (!match) return { problem: "is not a date: write it like 2027-05-31" };
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  date.setUTCFullYear(year); // years below 100 would be taken for 19xx
  if (year < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
    return { problem: "is not a day of the calendar" };
  return { value: `${match[1]}-${pad(month)}-${pad(day)}` };
}

export function parseTime(typed: string): Parsed<string> {
  const match = TIME.exec(typed.trim());
  if (!match) return { problem: "is not a time: write it like 14:30" };
  const [, hour, minute, second = "00", fraction = "", zone = ""] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return { problem: "is not a time of the day" };
  return { value: `${pad(Number(hour))}:${minute}:${second}${fraction}${offset(zone)}` };
}

export function parseDateTime(typed: string): Parsed<string> {
  const [, day = "", clock] = /^([^T\s]+)(?:[T\s]\s*(.+))?$/i.exec(typed.trim()) ?? [];
  const date = parseDate(day);
  if ("problem" in date)
    return DATE.test(day) ? date : { problem: "is not a date and time: write it like 2027-05-31 14:30" };
  if (clock === undefined) return { problem: `needs a time, such as ${date.value} 00:00` };
  const time = parseTime(clock);
  return "problem" in time ? time : { value: `${date.value}T${time.value}` };
}

/** Without the T and zero seconds. */
export function formatMoment(value: unknown): string {
  return String(value)
    .replace(/^(\d{4}-\d{2}-\d{2})T/, "$1 ")
    .replace(/(\d{2}:\d{2}):00(?![.\d])/, "$1");
}

function pad(part: number): string {
  return String(part).padStart(2, "0");
}

function offset(zone: string): string {
  if (/^(z|utc)$/i.test(zone)) return "Z";
  return zone && !zone.includes(":") ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
}
