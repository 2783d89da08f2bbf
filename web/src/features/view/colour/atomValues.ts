import { FrameArray } from "@/api/frameArray";
import type { Frame } from "@/api/frameMessage";
import { MASSES, MOMENTA, magnitudes, VELOCITIES } from "../data/properties";
import type { Display } from "../display";
import type { MoleculeFrame } from "../engine/frame";
import { namesIn, parseExpression, type Variables } from "./expression";

const PREFIXES = ["", "calc.", "arrays."];

/** The numbers by which atoms are coloured; null for the colours of the elements. Throws ExpressionError. */
export function atomValues(
  frame: Frame,
  molecule: MoleculeFrame,
  { colourBy, expression }: Display,
): ArrayLike<number> | null {
  const count = molecule.numbers.length;
  if (colourBy === "element") return null;
  if (colourBy !== "expression") return magnitudes(frame, colourBy, count);
  return parseExpression(expression)(variablesOf(frame, molecule));
}

/** `x`, `y`, `z`, `number`, `index`, and the arrays of the frame, also without `calc.` and `arrays.`. */
function variablesOf(frame: Frame, { numbers, positions }: MoleculeFrame): Variables {
  const count = numbers.length;
  const own: Record<string, () => ArrayLike<number>> = {
    x: () => column(positions, 0),
    y: () => column(positions, 1),
    z: () => column(positions, 2),
    number: () => numbers,
    index: () => Array.from({ length: count }, (_, atom) => atom),
  };
  const find: Variables["find"] = (name) => {
    if (Object.hasOwn(own, name)) return { numbers: (own[name] as () => ArrayLike<number>)(), width: 1 };
    if (name === "positions") return { numbers: positions, width: 3 };
    for (const prefix of PREFIXES) {
      const array = frame.get(prefix + name);
      if (array instanceof FrameArray && array.shape[0] === count && array.numbers)
        return { numbers: array.numbers, width: array.numbers.length / Math.max(1, count) };
    }
    return null;
  };
  return { count, find };
}

function column(positions: Float32Array, axis: number): Float32Array {
  return Float32Array.from(
    { length: positions.length / 3 },
    (_, atom) => positions[atom * 3 + axis] as number,
  );
}

/** The arrays of a frame that a display needs, of those that there are. */
export function neededKeys(display: Display, known: readonly string[]): string[] {
  const wanted = new Set<string>();
  if (display.vectors === VELOCITIES) for (const key of [MOMENTA, MASSES]) wanted.add(key);
  else if (display.vectors) wanted.add(display.vectors);
  if (display.colourBy === "expression") {
    for (const name of namesIn(display.expression))
      for (const prefix of PREFIXES)
        for (const key of [prefix + name, prefix + name.replace(/\.[xyz]$/, "")]) wanted.add(key);
  } else if (display.colourBy !== "element") wanted.add(display.colourBy);
  return known.filter((key) => wanted.has(key));
}
