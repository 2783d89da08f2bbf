/** Changes of one frame. Each returns a new frame; results of a calculator are no longer true and are left out. */
import { FrameArray, float64Array } from "@/api/frameArray";
import type { Frame } from "@/api/frameMessage";
import { numbersOf, toMolecule } from "../data/molecule";
import { shortestWay } from "../engine/minimumImage";

type Triple = readonly [number, number, number];

const MIN_GAIN = 1e-3; // Å

export function moveAtoms(frame: Frame, atoms: readonly number[], [x, y, z]: Triple): Frame {
  return withPositions(frame, atoms, (at) => [at[0] + x, at[1] + y, at[2] + z]);
}

/** Around an axis through the centre of the atoms. What a boundary of the cell divides turns as a whole. */
export function rotateAtoms(frame: Frame, atoms: readonly number[], axis: Triple, degrees: number): Frame {
  const { places, centre } = together(frame, atoms);
  const turn = turned(axis, (degrees * Math.PI) / 180);
  return withPositions(frame, atoms, (_, place) => {
    const at = places[place] as Triple;
    const moved = turn([at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]]);
    return [moved[0] + centre[0], moved[1] + centre[1], moved[2] + centre[2]];
  });
}

interface Places {
  readonly places: readonly Triple[];
  readonly centre: Triple;
}

/** The atoms where they are, or the images that are nearest to the first one if those are closer together. */
function together(frame: Frame, atoms: readonly number[]): Places {
  const positions = positionsOf(frame);
  const own = atoms.map((atom) => [...positions.subarray(atom * 3, atom * 3 + 3)] as unknown as Triple);
  const [lattice, first] = [toMolecule(frame), own[0]];
  const direct = { places: own, centre: centreOf(own.flat(), [...own.keys()]) };
  if (!lattice || !first) return direct;
  const near = own.map((place): Triple => {
    const way = shortestWay(first, place, lattice);
    return [first[0] + way[0], first[1] + way[1], first[2] + way[2]];
  });
  const images = { places: near, centre: centreOf(near.flat(), [...near.keys()]) };
  return extent(images) < extent(direct) - MIN_GAIN ? images : direct;
}

function extent({ places, centre }: Places): number {
  const distances = places.map((at) => Math.hypot(at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]));
  return distances.reduce((most, each) => Math.max(most, each), 0);
}

export function changeElement(frame: Frame, atoms: readonly number[], number: number): Frame {
  const numbers = BigInt64Array.from(numbersOf(frame, "numbers") ?? [], (each) => BigInt(Math.round(each)));
  for (const atom of atoms) numbers[atom] = BigInt(number);
  return edited(frame, [
    ["numbers", new FrameArray("<i8", [numbers.length], new Uint8Array(numbers.buffer))],
  ]);
}

export function deleteAtoms(frame: Frame, atoms: readonly number[]): Frame {
  const count = countOf(frame);
  const gone = new Set(atoms);
  const kept = Array.from({ length: count }, (_, atom) => atom).filter((atom) => !gone.has(atom));
  return edited(
    frame,
    [...frame].map(([key, value]) => [
      key,
      isPerAtom(key, value, count) ? rows(value as FrameArray, kept) : value,
    ]),
    (constraints) => renumbered(constraints, new Map(kept.map((atom, place) => [atom, place]))),
  );
}

/** The new atom has zeros in all other arrays. */
export function addAtom(frame: Frame, number: number, position: Triple): Frame {
  const count = countOf(frame);
  const grown = [...frame].map(([key, value]): [string, unknown] => [
    key,
    isPerAtom(key, value, count) ? withRow(value as FrameArray) : value,
  ]);
  const frameWithRow = edited(frame, grown);
  return changeElement(
    withPositions(frameWithRow, [count], () => position),
    [count],
    number,
  );
}

export function countOf(frame: Frame): number {
  return numbersOf(frame, "numbers")?.length ?? 0;
}

function positionsOf(frame: Frame): Float64Array {
  return Float64Array.from(numbersOf(frame, "positions") ?? []);
}

type Move = (at: Triple, place: number) => Triple;

function withPositions(frame: Frame, atoms: readonly number[], change: Move): Frame {
  const positions = positionsOf(frame);
  for (const [place, atom] of atoms.entries()) {
    const at = [...positions.subarray(atom * 3, atom * 3 + 3)] as unknown as Triple;
    positions.set(change(at, place), atom * 3);
  }
  return edited(frame, [["positions", float64Array(positions, [positions.length / 3, 3])]]);
}

type Change = (constraints: unknown) => unknown;

function edited(
  frame: Frame,
  changes: Iterable<[string, unknown]>,
  constrain: Change = (same) => same,
): Frame {
  const next = new Map([...frame, ...changes]);
  for (const key of next.keys()) if (key.startsWith("calc.") || key === "calculator") next.delete(key);
  const constraints = constrain(next.get("constraints"));
  if (constraints === undefined) next.delete("constraints");
  else next.set("constraints", constraints);
  return next;
}

function isPerAtom(key: string, value: unknown, count: number): boolean {
  const isNamed = key === "numbers" || key === "positions" || key.startsWith("arrays.");
  return isNamed && value instanceof FrameArray && value.shape[0] === count;
}

function rows(array: FrameArray, kept: readonly number[]): FrameArray {
  const size = array.rowBytes;
  const bytes = new Uint8Array(kept.length * size);
  for (const [place, row] of kept.entries())
    bytes.set(array.bytes.subarray(row * size, (row + 1) * size), place * size);
  return new FrameArray(array.dtype, [kept.length, ...array.shape.slice(1)], bytes);
}

function withRow(array: FrameArray): FrameArray {
  const [count = 0, ...rest] = array.shape;
  const size = count ? array.rowBytes : 8 * rest.reduce((product, length) => product * length, 1);
  const bytes = new Uint8Array(array.bytes.length + size);
  bytes.set(array.bytes);
  return new FrameArray(array.dtype, [count + 1, ...rest], bytes);
}

/** Constraints with lists of atoms follow those atoms; one that has none left is gone. */
function renumbered(constraints: unknown, places: ReadonlyMap<number, number>): unknown {
  if (!Array.isArray(constraints)) return constraints;
  return constraints.flatMap((constraint) => {
    const indices = constraint?.kwargs?.indices;
    if (!Array.isArray(indices)) return [constraint];
    const kept = indices.flatMap((atom) => places.get(atom) ?? []);
    return kept.length ? [{ ...constraint, kwargs: { ...constraint.kwargs, indices: kept } }] : [];
  });
}

export function centreOf(positions: ArrayLike<number>, atoms: readonly number[]): Triple {
  const sum: [number, number, number] = [0, 0, 0];
  for (const atom of atoms)
    for (const axis of [0, 1, 2] as const) sum[axis] += positions[atom * 3 + axis] ?? 0;
  return sum.map((each) => each / Math.max(1, atoms.length)) as unknown as Triple;
}

/** Rodrigues' formula. */
function turned(axis: Triple, angle: number): (at: Triple) => Triple {
  const size = Math.hypot(...axis) || 1;
  const [x, y, z] = axis.map((each) => each / size) as unknown as Triple;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return ([a, b, c]) => {
    const along = (x * a + y * b + z * c) * (1 - cos);
    return [
      a * cos + (y * c - z * b) * sin + x * along,
      b * cos + (z * a - x * c) * sin + y * along,
      c * cos + (x * b - y * a) * sin + z * along,
    ];
  };
}
