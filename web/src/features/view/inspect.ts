import { FrameArray } from "@/api/frameArray";
import { symbolOf } from "./engine/elements";
import type { Shown } from "./stage";

/** An atom in one line: its element, number, position, and what is known of it. */
export function inspect({ molecule, frame }: Shown, atom: number): string {
  const { numbers, positions } = molecule;
  const at = [0, 1, 2].map((axis) => (positions[atom * 3 + axis] ?? 0).toFixed(3)).join(", ");
  const rest = atomValuesOf(frame, atom, numbers.length).map(([key, value]) => ` · ${key} ${value}`);
  return `${symbolOf(numbers[atom] ?? 0)} ${atom} (${at})${rest.join("")}`;
}

const OWN = new Set(["positions", "numbers"]);

/** What the loaded arrays of a frame say about an atom. */
export function atomValuesOf(frame: Shown["frame"], atom: number, count: number): [string, string][] {
  const found: [string, string][] = [];
  for (const [key, value] of frame) {
    if (OWN.has(key) || !(value instanceof FrameArray) || value.shape[0] !== count || !value.numbers)
      continue;
    if (!/^(arrays|calc)\./.test(key)) continue;
    const width = value.numbers.length / count;
    const row = [...value.numbers.subarray(atom * width, (atom + 1) * width)];
    found.push([
      key.replace(/^(arrays|calc)\./, ""),
      row.map((each) => Number(each.toPrecision(4))).join(", "),
    ]);
  }
  return found;
}
