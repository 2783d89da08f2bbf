/** One step of a trajectory, as the view needs it. Lengths are in Å. */
export interface MoleculeFrame {
  readonly numbers: ArrayLike<number>;
  readonly positions: Float32Array;
  /** The three vectors of the cell, one after the other; null without one. */
  readonly cell: Float64Array | null;
  readonly pbc: readonly [boolean, boolean, boolean];
}

export type Vector = readonly [number, number, number];

export const atomCount = (frame: MoleculeFrame) => frame.positions.length / 3;

export function isSameElements(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** The box that contains all atoms, and the cell if there is one: its centre, and the radius of its sphere. */
export function bounds(frame: MoleculeFrame): { centre: Vector; radius: number } {
  const corners = cellCorners(frame.cell);
  const axes = [0, 1, 2].map((axis) => extent(frame.positions, corners, axis));
  if (!axes.every(([low, high]) => Number.isFinite(high - low))) return { centre: [0, 0, 0], radius: 5 };
  const centre = axes.map(([low, high]) => (low + high) / 2) as unknown as Vector;
  const radius = Math.hypot(...axes.map(([low, high]) => high - low)) / 2;
  return { centre, radius: Math.max(radius + 1.5, 2.5) };
}

/** It is called for each frame that is shown: a loop without calls takes a twentieth of the time. */
function extent(positions: Float32Array, corners: readonly Vector[], axis: number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let at = axis; at < positions.length; at += 3) {
    const value = positions[at] as number;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const ends = corners.map((corner) => corner[axis] as number);
  return [Math.min(low, ...ends), Math.max(high, ...ends)];
}

/** The eight corners of the cell; none if it has no volume. */
export function cellCorners(cell: Float64Array | null): Vector[] {
  if (!cell || isFlat(cell)) return [];
  const corners: Vector[] = [];
  for (let corner = 0; corner < 8; corner++) {
    const [a, b, c] = [corner & 1, (corner >> 1) & 1, corner >> 2];
    const at = (axis: number) =>
      a * (cell[axis] as number) + b * (cell[3 + axis] as number) + c * (cell[6 + axis] as number);
    corners.push([at(0), at(1), at(2)]);
  }
  return corners;
}

/** Whether a cell has no volume: then nothing is periodic. */
export function isFlat(cell: Float64Array): boolean {
  const [ax, ay, az, bx, by, bz, cx, cy, cz] = cell as unknown as number[] as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const volume = ax * (by * cz - bz * cy) - ay * (bx * cz - bz * cx) + az * (bx * cy - by * cx);
  return Math.abs(volume) < 1e-6;
}
