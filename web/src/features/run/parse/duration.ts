import type { Parsed } from "./parsed";

const UNITS: [number, string[]][] = [
  [604_800, ["w", "week", "weeks"]],
  [86_400, ["d", "day", "days"]],
  [3600, ["h", "hr", "hrs", "hour", "hours"]],
  [60, ["m", "min", "mins", "minute", "minutes"]],
  [1, ["s", "sec", "secs", "second", "seconds"]],
  [1e-3, ["ms", "millisecond", "milliseconds"]],
  [1e-6, ["us", "µs", "μs", "microsecond", "microseconds"]],
];
const SECONDS = new Map(UNITS.flatMap(([seconds, names]) => names.map((name) => [name, seconds] as const)));
const CLOCK = /^([+-]?)(?:(\d+)\s*d(?:ays?)?,?\s*)?(\d+):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?$/i;
const ISO = /^([+-]?)P(?=.)(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/i;
const PART = /(\d+\.?\d*|\.\d+)\s*([a-zµμ]+)[\s,]*/giy;
const HINT = "is not a duration: write it like 2h 30m, 1:30:00 or 500ms";

/** The ISO 8601 text of `2h 30m`, `1:30:00`, `1.5 days` or ISO 8601 itself. */
export function parseDuration(typed: string): Parsed<string> {
  const text = typed.trim().replace(/[−–]/g, "-");
  if (/^[+-]?[\d.]+$/.test(text)) return { problem: `needs a unit, such as ${text}s or ${text}min` };
  const seconds = clockSeconds(text) ?? isoSeconds(text) ?? partSeconds(text);
  if (seconds === null) return { problem: HINT };
  const micros = Math.round(seconds * 1e6);
  if (!Number.isSafeInteger(micros)) return { problem: "is too long" };
  if (Math.abs(seconds * 1e6 - micros) > 1e-3) return { problem: "is finer than a microsecond" };
  return { value: iso(micros) };
}

/** `PT2H30M` as `2h 30m`; other text as it is. */
export function formatDuration(value: unknown): string {
  const seconds = isoSeconds(String(value));
  if (seconds === null) return String(value);
  const [sign, parts] = partsOf(Math.round(seconds * 1e6));
  return sign + (parts.map(([amount, unit]) => `${amount}${unit}`).join(" ") || "0s");
}

function clockSeconds(text: string): number | null {
  const match = CLOCK.exec(text);
  if (!match) return null;
  const [, sign, days = 0, hours, minutes, seconds = 0] = match;
  const total = Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === "-" ? -total : total;
}

function isoSeconds(text: string): number | null {
  const match = ISO.exec(text);
  if (!match || /T$/i.test(text)) return null;
  const [, sign, ...amounts] = match;
  const scales = [604_800, 86_400, 3600, 60, 1];
  const total = scales.reduce((sum, scale, index) => sum + scale * Number(amounts[index] ?? 0), 0);
  if (!Number.isFinite(total)) return null;
  return sign === "-" ? -total : total;
}

function partSeconds(text: string): number | null {
  const isNegative = text.startsWith("-");
  const rest = text.replace(/^[+-]\s*/, "");
  let total = 0;
  let end = 0;
  for (const match of rest.matchAll(PART)) {
    const scale = SECONDS.get(match[2]?.toLowerCase() ?? "");
    if (scale === undefined) return null;
    total += scale * Number(match[1]);
    end = match.index + match[0].length;
  }
  if (end === 0 || end !== rest.length) return null;
  return isNegative ? -total : total;
}

/** The sign, and the amount of each unit that is not zero. */
function partsOf(micros: number): [string, [string, "d" | "h" | "m" | "s"][]] {
  const size = Math.abs(micros);
  const whole = Math.floor(size / 1e6);
  const fraction = (size % 1e6).toString().padStart(6, "0").replace(/0+$/, "");
  const seconds = (whole % 60) + (fraction && `.${fraction}`);
  const parts: [string, "d" | "h" | "m" | "s"][] = [
    [String(Math.floor(whole / 86_400)), "d"],
    [String(Math.floor(whole / 3600) % 24), "h"],
    [String(Math.floor(whole / 60) % 60), "m"],
    [String(seconds), "s"],
  ];
  return [micros < 0 ? "-" : "", parts.filter(([amount]) => Number(amount) !== 0)];
}

function iso(micros: number): string {
  const [sign, parts] = partsOf(micros);
  const days = parts.filter(([, unit]) => unit === "d").map(([amount]) => `${amount}D`);
  const times = parts.filter(([, unit]) => unit !== "d").map(([amount, unit]) => amount + unit.toUpperCase());
  return parts.length ? `${sign}P${days.join("")}${times.length ? `T${times.join("")}` : ""}` : "PT0S";
}
