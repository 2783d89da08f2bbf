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
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const take = (x: number, y: number, z: number) => {
    for (const [axis, value] of [x, y, z].entries()) {
      low[axis] = Math.min(low[axis] as number, value);
      high[axis] = Math.max(high[axis] as number, value);
    }
  };
  const p = frame.positions;
  for (let at = 0; at < p.length; at += 3) take(p[at] as number, p[at + 1] as number, p[at + 2] as number);
  for (const corner of cellCorners(frame.cell)) take(...corner);
  if (!Number.isFinite(low[0] as number)) return { centre: [0, 0, 0], radius: 5 };
  const centre = low.map((value, axis) => (value + (high[axis] as number)) / 2) as unknown as Vector;
  const radius = Math.hypot(...low.map((value, axis) => (high[axis] as number) - value)) / 2;
  return { centre, radius: Math.max(radius + 1.5, 2.5) };
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
