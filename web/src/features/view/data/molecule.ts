import { FrameArray, type Numbers } from "@/api/frameArray";
import type { Frame } from "@/api/frameMessage";
import type { MoleculeFrame } from "../engine/frame";

/** Keys that every picture needs. */
export const BASIC_KEYS = ["positions", "numbers", "cell", "pbc", "constraints"];

/** What can be drawn of a frame; null if it has no atoms. */
export function toMolecule(frame: Frame): MoleculeFrame | null {
  const positions = numbersOf(frame, "positions");
  const numbers = numbersOf(frame, "numbers");
  if (!positions || !numbers || positions.length !== numbers.length * 3) return null;
  const cell = numbersOf(frame, "cell");
  const pbc = numbersOf(frame, "pbc");
  return {
    numbers,
    positions: positions instanceof Float32Array ? positions : new Float32Array(positions),
    cell: cell && cell.length === 9 ? Float64Array.from(cell) : null,
    pbc: [Boolean(pbc?.[0]), Boolean(pbc?.[1]), Boolean(pbc?.[2])],
  };
}

export function numbersOf(frame: Frame, key: string): Numbers | null {
  const value = frame.get(key);
  return value instanceof FrameArray ? value.numbers : null;
}

/** Atoms that some constraint keeps where they are. */
export function fixedAtoms(frame: Frame): ReadonlySet<number> {
  const constraints = frame.get("constraints");
  if (!Array.isArray(constraints)) return NONE;
  const found = new Set<number>();
  for (const [number, constraint] of constraints.entries()) {
    const { name, kwargs } = (constraint ?? {}) as { name?: unknown; kwargs?: Record<string, unknown> };
    if (!String(name).startsWith("Fix")) continue;
    const listed = numbersOf(frame, `constraints.${number}.indices`) ?? kwargs?.indices ?? kwargs?.a;
    for (const atom of toList(listed)) found.add(atom);
  }
  return found;
}

const NONE: ReadonlySet<number> = new Set();

function toList(value: unknown): Iterable<number> {
  if (typeof value === "number") return [value];
  if (Array.isArray(value)) return value.filter((each) => typeof each === "number");
  return ArrayBuffer.isView(value) ? (value as unknown as Iterable<number>) : [];
}
