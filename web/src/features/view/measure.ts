import type { MoleculeFrame, Vector } from "./engine/frame";
import { shortestWay } from "./engine/minimumImage";

const SAME_PLACE = 1e-3; // Å

export interface Measurement {
  readonly kind: "Distance" | "Angle" | "Dihedral";
  readonly value: number;
  readonly unit: "Å" | "°";
  /** The atoms, each as it is nearest to the one before. */
  readonly path: readonly Stop[];
}

export interface Stop {
  readonly point: Vector;
  /** Whether this is an image of the atom, across the boundary of a periodic cell. */
  readonly isImage: boolean;
}

/** Of two atoms their distance, of three the angle at the second, of four the dihedral; null for other numbers. */
export function measure(frame: MoleculeFrame, atoms: readonly number[]): Measurement | null {
  if (atoms.length < 2 || atoms.length > 4) return null;
  if (atoms.some((atom) => atom < 0 || atom * 3 >= frame.positions.length)) return null;
  const path = chain(frame, atoms);
  const [a, b, c, d] = path.map(({ point }) => point) as [Vector, Vector, Vector?, Vector?];
  if (!c) return { kind: "Distance", value: length(minus(b, a)), unit: "Å", path };
  if (!d) return { kind: "Angle", value: degrees(angle(minus(a, b), minus(c, b))), unit: "°", path };
  return { kind: "Dihedral", value: degrees(dihedral(a, b, c, d)), unit: "°", path };
}

export function describe({ kind, value, unit, path }: Measurement): string {
  const isAcross = path.some(({ isImage }) => isImage);
  const amount = unit === "Å" ? `${value.toFixed(3)} Å` : `${value.toFixed(1)}°`;
  return `${kind} ${amount}${isAcross ? " across the boundary" : ""}`;
}

/** From each atom to the nearest image of the next one. */
function chain(frame: MoleculeFrame, atoms: readonly number[]): Stop[] {
  const path: Stop[] = [];
  for (const atom of atoms) {
    const place = [...frame.positions.subarray(atom * 3, atom * 3 + 3)] as unknown as Vector;
    const before = path.at(-1)?.point;
    const point = before ? plus(before, shortestWay(before, place, frame)) : place;
    path.push({ point, isImage: length(minus(point, place)) > SAME_PLACE });
  }
  return path;
}

function dihedral(a: Vector, b: Vector, c: Vector, d: Vector): number {
  const axis = minus(c, b);
  const [first, second] = [cross(minus(b, a), axis), cross(axis, minus(d, c))];
  const sine = dot(cross(first, second), axis) / (length(axis) || 1);
  return Math.atan2(sine, dot(first, second));
}

const angle = (a: Vector, b: Vector) => Math.atan2(length(cross(a, b)), dot(a, b));
const degrees = (radians: number) => (radians * 180) / Math.PI;
const plus = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const length = (a: Vector) => Math.hypot(...a);
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
