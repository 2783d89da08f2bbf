import { covalentRadii } from "./elements";
import { isFlat, type MoleculeFrame } from "./frame";

/** Pairs of bonded atoms. A bond across a boundary goes to the image of its second atom in another cell. */
export interface Bonds {
  /** First and second atom of each bond, one after the other. */
  readonly pairs: Uint32Array;
  /** The cell of the second atom: three whole numbers for each bond, 0 0 0 for the same. */
  readonly shifts: Int8Array;
}

export const NO_BONDS: Bonds = { pairs: new Uint32Array(0), shifts: new Int8Array(0) };

const TOLERANCE = 1.2;
const MIN_DISTANCE = 0.3;
const MAX_RADIUS = 2.6;
const MAX_PER_ATOM = 16;

type Matrix = Float64Array;
type See = (other: number, distance: number, sx: number, sy: number, sz: number) => void;

/** Atoms are bonded if they are closer than 1.2 times the sum of their covalent radii. Hydrogens have one bond. */
export function findBonds(frame: MoleculeFrame): Bonds {
  const count = frame.positions.length / 3;
  if (count < 2) return NO_BONDS;
  const radii = Float32Array.from({ length: count }, (_, atom) =>
    Math.min(covalentRadii[frame.numbers[atom] as number] ?? 0.8, MAX_RADIUS),
  );
  const largest = radii.reduce((most, radius) => Math.max(most, radius), 0);
  const grid = new Grid(frame, largest * 2 * TOLERANCE);
  const pairs: number[] = [];
  const shifts: number[] = [];
  const bonded = new Uint8Array(count);
  for (let atom = 0; atom < count; atom++) {
    grid.eachNeighbour(atom, (other, distance, sx, sy, sz) => {
      const limit = TOLERANCE * ((radii[atom] as number) + (radii[other] as number));
      if (distance > limit || distance < MIN_DISTANCE) return;
      if ((bonded[atom] as number) >= MAX_PER_ATOM || (bonded[other] as number) >= MAX_PER_ATOM) return;
      if (frame.numbers[atom] === 1 && frame.numbers[other] === 1 && count > 2) return;
      bonded[atom] = (bonded[atom] as number) + 1;
      bonded[other] = (bonded[other] as number) + 1;
      pairs.push(atom, other);
      shifts.push(sx, sy, sz);
    });
  }
  return { pairs: Uint32Array.from(pairs), shifts: Int8Array.from(shifts) };
}

/** A grid of boxes that are at least `reach` wide, so that neighbours are in the same or the next box. */
class Grid {
  private readonly sizes: [number, number, number];
  private readonly boxes: Int32Array;
  private readonly fractions: Float64Array;
  private readonly turns: Int32Array;
  private readonly first: Int32Array;
  private readonly next: Int32Array;
  private readonly cell: Matrix;
  private readonly pbc: readonly [boolean, boolean, boolean];

  constructor(
    frame: MoleculeFrame,
    private readonly reach: number,
  ) {
    const isPeriodic = frame.cell !== null && !isFlat(frame.cell) && frame.pbc.some(Boolean);
    this.pbc = isPeriodic ? frame.pbc : [false, false, false];
    this.cell = isPeriodic ? (frame.cell as Matrix) : new Float64Array([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    const count = frame.positions.length / 3;
    this.fractions = toFractions(frame.positions, this.cell);
    this.turns = new Int32Array(count * 3);
    const { low, span } = this.extent(count);
    this.sizes = [0, 1, 2].map((axis) => this.boxesAlong(axis, span[axis] as number, count)) as [
      number,
      number,
      number,
    ];
    this.boxes = new Int32Array(count * 3);
    this.first = new Int32Array(this.sizes[0] * this.sizes[1] * this.sizes[2]).fill(-1);
    this.next = new Int32Array(count).fill(-1);
    for (let atom = count - 1; atom >= 0; atom--) this.place(atom, low, span);
  }

  /** Call `see` with each neighbour of a higher number, and with images of the atom itself, one of each two. */
  eachNeighbour(atom: number, see: See): void {
    const [nx, ny, nz] = this.sizes;
    const xs = this.range(0, this.boxes[atom * 3] as number);
    const ys = this.range(1, this.boxes[atom * 3 + 1] as number);
    const zs = this.range(2, this.boxes[atom * 3 + 2] as number);
    for (const z of zs)
      for (const y of ys)
        for (const x of xs) {
          const [sx, sy, sz] = [Math.floor(x / nx), Math.floor(y / ny), Math.floor(z / nz)];
          const box = mod(x, nx) + nx * (mod(y, ny) + ny * mod(z, nz));
          for (let other = this.first[box] as number; other >= 0; other = this.next[other] as number)
            if (other > atom || (other === atom && isForward(sx, sy, sz)))
              this.measure(atom, other, sx, sy, sz, see);
        }
  }

  /** Atoms outside of the cell were wrapped into it to be placed: the shift counts from where they are. */
  private measure(atom: number, other: number, sx: number, sy: number, sz: number, see: See): void {
    const [f, c, t] = [this.fractions, this.cell, this.turns];
    const [i, j] = [atom * 3, other * 3];
    const a = (f[j] as number) + sx - (f[i] as number);
    const b = (f[j + 1] as number) + sy - (f[i + 1] as number);
    const d = (f[j + 2] as number) + sz - (f[i + 2] as number);
    const x = a * (c[0] as number) + b * (c[3] as number) + d * (c[6] as number);
    const y = a * (c[1] as number) + b * (c[4] as number) + d * (c[7] as number);
    const z = a * (c[2] as number) + b * (c[5] as number) + d * (c[8] as number);
    const distance = Math.sqrt(x * x + y * y + z * z);
    if (distance > this.reach) return;
    see(
      other,
      distance,
      sx - (t[j] as number) + (t[i] as number),
      sy - (t[j + 1] as number) + (t[i + 1] as number),
      sz - (t[j + 2] as number) + (t[i + 2] as number),
    );
  }

  private extent(count: number): { low: number[]; span: number[] } {
    const low = [0, 0, 0];
    const span = [1, 1, 1];
    for (let axis = 0; axis < 3; axis++) {
      if (this.pbc[axis]) {
        for (let atom = 0; atom < count; atom++) this.wrap(atom, axis);
        continue;
      }
      let [least, most] = [Infinity, -Infinity];
      for (let atom = 0; atom < count; atom++) {
        least = Math.min(least, this.fractions[atom * 3 + axis] as number);
        most = Math.max(most, this.fractions[atom * 3 + axis] as number);
      }
      low[axis] = least;
      span[axis] = Math.max(most - least, 1e-9);
    }
    return { low, span };
  }

  private wrap(atom: number, axis: number): void {
    const at = atom * 3 + axis;
    const turns = Math.floor(this.fractions[at] as number);
    this.fractions[at] = (this.fractions[at] as number) - turns;
    this.turns[at] = turns;
  }

  /** As many boxes as fit, each wider than the reach; a periodic direction may have a single one. */
  private boxesAlong(axis: number, span: number, count: number): number {
    const width = span * height(this.cell, axis);
    const most = Math.max(1, Math.ceil(Math.cbrt(count)) * 4);
    return Math.max(1, Math.min(Math.floor(width / this.reach), most));
  }

  private place(atom: number, low: number[], span: number[]): void {
    for (let axis = 0; axis < 3; axis++) {
      const size = this.sizes[axis] as number;
      const share =
        ((this.fractions[atom * 3 + axis] as number) - (low[axis] as number)) / (span[axis] as number);
      this.boxes[atom * 3 + axis] = Math.min(size - 1, Math.max(0, Math.floor(share * size)));
    }
    const [x, y, z] = [0, 1, 2].map((axis) => this.boxes[atom * 3 + axis] as number) as [
      number,
      number,
      number,
    ];
    const box = x + this.sizes[0] * (y + this.sizes[1] * z);
    this.next[atom] = this.first[box] as number;
    this.first[box] = atom;
  }

  /** The boxes next to one; beyond the last only where it is periodic, and far enough for small cells. */
  private range(axis: number, at: number): number[] {
    const size = this.sizes[axis] as number;
    const reach = Math.max(1, Math.ceil((this.reach / height(this.cell, axis)) * size - 1e-9));
    const found: number[] = [];
    const steps = this.pbc[axis] ? reach : 1;
    for (let box = at - steps; box <= at + steps; box++)
      if (this.pbc[axis] || (box >= 0 && box < size)) found.push(box);
    return found;
  }
}

const mod = (value: number, size: number) => ((value % size) + size) % size;

/** Of an image and its opposite, one counts. */
function isForward(x: number, y: number, z: number): boolean {
  return x > 0 || (x === 0 && (y > 0 || (y === 0 && z > 0)));
}

/** The distance between the two faces of the cell that a vector connects. */
function height(cell: Matrix, axis: number): number {
  const a = vector(cell, axis);
  const normal = cross(vector(cell, (axis + 1) % 3), vector(cell, (axis + 2) % 3));
  return Math.abs(dot(a, normal)) / (Math.hypot(...normal) || 1);
}

type Triple = [number, number, number];
const vector = (cell: Matrix, row: number) => [...cell.subarray(row * 3, row * 3 + 3)] as Triple;
const dot = (a: Triple, b: Triple) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

function toFractions(positions: Float32Array, cell: Matrix): Float64Array {
  const [a, b, c] = [vector(cell, 0), vector(cell, 1), vector(cell, 2)];
  const [bc, ca, ab] = [cross(b, c), cross(c, a), cross(a, b)];
  const volume = dot(a, bc);
  const fractions = new Float64Array(positions.length);
  for (let at = 0; at < positions.length; at += 3) {
    const r: Triple = [positions[at] as number, positions[at + 1] as number, positions[at + 2] as number];
    fractions[at] = dot(r, bc) / volume;
    fractions[at + 1] = dot(r, ca) / volume;
    fractions[at + 2] = dot(r, ab) / volume;
  }
  return fractions;
}

export function isSameBonds(a: Bonds, b: Bonds): boolean {
  if (a.pairs.length !== b.pairs.length) return false;
  for (let at = 0; at < a.pairs.length; at++) if (a.pairs[at] !== b.pairs[at]) return false;
  for (let at = 0; at < a.shifts.length; at++) if (a.shifts[at] !== b.shifts[at]) return false;
  return true;
}
