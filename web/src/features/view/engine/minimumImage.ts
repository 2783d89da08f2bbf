import { isFlat, type MoleculeFrame, type Vector } from "./frame";

type Lattice = Pick<MoleculeFrame, "cell" | "pbc">;

const MAX_IMAGES = 10; // along each vector, for cells that are very flat
const TOLERANCE = 1e-4; // Å; of two ways of the same length, the one inside of the cell counts

/** The shortest way from one point to another or to one of its images in a periodic cell, however skewed. */
export function shortestWay(from: Vector, to: Vector, { cell, pbc }: Lattice): Vector {
  const direct = minus(to, from);
  if (!cell || isFlat(cell) || !pbc.some(Boolean)) return direct;
  const vectors = [0, 1, 2].map((row) => [...cell.subarray(row * 3, row * 3 + 3)] as unknown as Vector);
  let best = direct;
  const ranges = imageRanges(direct, vectors, pbc);
  for (const a of ranges[0] as number[])
    for (const b of ranges[1] as number[])
      for (const c of ranges[2] as number[]) {
        const vector = add(direct, vectors, [a, b, c]);
        if (Math.hypot(...vector) < Math.hypot(...best) - TOLERANCE) best = vector;
      }
  return best;
}

/** The images that can be nearer than the one next to the origin: those between two planes of the cell. */
function imageRanges(direct: Vector, vectors: readonly Vector[], pbc: Lattice["pbc"]): number[][] {
  const fractions = vectors.map((_, axis) => fractionAlong(direct, vectors, axis));
  const nearest = fractions.map((fraction, axis) => (pbc[axis] ? -Math.round(fraction) : 0));
  const limit = Math.hypot(...add(direct, vectors, nearest as unknown as Vector));
  return fractions.map((fraction, axis) => {
    if (!pbc[axis]) return [0];
    const reach = Math.min(MAX_IMAGES, limit / heightOf(vectors, axis));
    const [low, high] = [Math.ceil(-fraction - reach), Math.floor(-fraction + reach)];
    const found = Array.from({ length: Math.max(0, high - low + 1) }, (_, step) => low + step);
    return found.length ? found : [nearest[axis] as number];
  });
}

function fractionAlong(vector: Vector, vectors: readonly Vector[], axis: number): number {
  const normal = normalOf(vectors, axis);
  return dot(vector, normal) / dot(vectors[axis] as Vector, normal);
}

function heightOf(vectors: readonly Vector[], axis: number): number {
  const normal = normalOf(vectors, axis);
  return Math.abs(dot(vectors[axis] as Vector, normal)) / Math.hypot(...normal);
}

function normalOf(vectors: readonly Vector[], axis: number): Vector {
  return cross(vectors[(axis + 1) % 3] as Vector, vectors[(axis + 2) % 3] as Vector);
}

function add(start: Vector, vectors: readonly Vector[], times: Vector): Vector {
  return [0, 1, 2].map((axis) =>
    times.reduce(
      (sum, count, row) => sum + count * ((vectors[row] as Vector)[axis] as number),
      start[axis] as number,
    ),
  ) as unknown as Vector;
}

const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
