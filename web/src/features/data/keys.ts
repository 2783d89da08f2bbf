import type { FrameKey } from "@/api/schema";

const MAX_COLUMNS = 60;
const WORDS: Record<string, string> = { b: "bool", i: "int", u: "uint", f: "float", c: "complex" };

/** The keys whose values may be drawn. A comma separates keys in a request, so a key with one is left out. */
export function columnKeys(keys: FrameKey[]): string[] {
  return keys
    .filter(({ kind, key }) => kind === "value" && !key.includes(","))
    .map(({ key }) => key)
    .slice(0, MAX_COLUMNS);
}

/** `<f8` is float64. */
export function dtypeText({ kind, dtype }: FrameKey): string {
  if (dtype === null) return kind === "value" ? "value" : "varies";
  const [, letter = "", size = ""] = /^[<|]([a-zA-Z])(\d+)$/.exec(dtype) ?? [];
  if (letter === "U") return `text of ${size}`;
  if (letter === "S") return `${size} bytes`;
  if (letter === "b") return "bool";
  return letter in WORDS ? `${WORDS[letter]}${8 * Number(size)}` : dtype;
}

export function shapeText({ kind, shape }: FrameKey): string {
  if (kind === "value") return "";
  if (shape === null) return "varies";
  return shape.length === 0 ? "single" : shape.join(" × ");
}
