import type { MoleculeFrame } from "./engine/frame";

export interface Measurement {
  readonly kind: "Distance" | "Angle" | "Dihedral";
  readonly value: number;
  readonly unit: "Å" | "°";
}

type Triple = [number, number, number];

/** Of two atoms their distance, of three the angle at the second, of four the dihedral; null for other numbers. */
export function measure({ positions }: MoleculeFrame, atoms: readonly number[]): Measurement | null {
  if (atoms.some((atom) => atom < 0 || atom * 3 >= positions.length)) return null;
  const at = (atom: number): Triple => [...positions.subarray(atom * 3, atom * 3 + 3)] as Triple;
  const [a, b, c, d] = atoms.map(at);
  if (atoms.length === 2 && a && b) return { kind: "Distance", value: length(minus(b, a)), unit: "Å" };
  if (atoms.length === 3 && a && b && c)
    return { kind: "Angle", value: degrees(angle(minus(a, b), minus(c, b))), unit: "°" };
  if (atoms.length === 4 && a && b && c && d)
    return { kind: "Dihedral", value: degrees(dihedral(a, b, c, d)), unit: "°" };
  return null;
}

export function describe({ kind, value, unit }: Measurement): string {
  return `${kind} ${value.toFixed(unit === "Å" ? 3 : 1)}${unit === "Å" ? " Å" : "°"}`;
}

function dihedral(a: Triple, b: Triple, c: Triple, d: Triple): number {
  const axis = minus(c, b);
  const [first, second] = [cross(minus(b, a), axis), cross(axis, minus(d, c))];
  const sine = dot(cross(first, second), axis) / (length(axis) || 1);
  return Math.atan2(sine, dot(first, second));
}

const angle = (a: Triple, b: Triple) => Math.atan2(length(cross(a, b)), dot(a, b));
const degrees = (radians: number) => (radians * 180) / Math.PI;
const minus = (a: Triple, b: Triple): Triple => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Triple, b: Triple) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const length = (a: Triple) => Math.hypot(...a);
const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
