import { FrameArray, type Numbers } from "@/api/frameArray";
import type { Frame } from "@/api/frameMessage";
import { atomicMasses } from "../engine/elements";

export interface KeyInfo {
  readonly key: string;
  readonly kind: string;
  readonly dtype?: string | null;
  readonly shape?: readonly number[] | null;
}

/** Keys whose arrays may hold a number, or a vector, for each atom. */
export function atomKeys(keys: readonly KeyInfo[]): { scalars: string[]; vectors: string[] } {
  const arrays = keys.filter(
    ({ kind, dtype, key }) => kind === "array" && isNumeric(dtype) && !STRUCTURE.has(key),
  );
  const isPerAtom = ({ key }: KeyInfo) =>
    key.startsWith("arrays.") || key.startsWith("calc.") || !key.includes(".");
  const perAtom = arrays.filter(isPerAtom);
  return {
    scalars: perAtom.filter(({ shape }) => !shape || shape.length === 1).map(({ key }) => key),
    vectors: perAtom
      .filter(({ shape }) => !shape || (shape.length === 2 && shape[1] === 3))
      .map(({ key }) => key),
  };
}

const STRUCTURE = new Set(["positions", "numbers", "cell", "pbc", "celldisp"]);
const isNumeric = (dtype?: string | null) =>
  dtype === undefined || dtype === null || /^[<|][biuf]/.test(dtype);

/** A number for each atom: the value itself, or the length of a vector. */
export function magnitudes(frame: Frame, key: string, atoms: number): Float32Array | null {
  const array = frame.get(key);
  if (!(array instanceof FrameArray) || array.shape[0] !== atoms || !array.numbers) return null;
  if (array.shape.length === 1) return new Float32Array(array.numbers);
  if (array.shape.length !== 2) return null;
  return lengths(array.numbers, array.shape[1] as number, atoms);
}

/** Not a key: momenta, divided by masses. */
export const VELOCITIES = "velocities";
export const MOMENTA = "arrays.momenta";
export const MASSES = "arrays.masses";

/** Three numbers for each atom: those of an array, or velocities. */
export function vectors(frame: Frame, key: string, atoms: number): Float32Array | null {
  return key === VELOCITIES ? velocities(frame, atoms) : vectorArray(frame, key, atoms);
}

function velocities(frame: Frame, atoms: number): Float32Array | null {
  const momenta = vectorArray(frame, MOMENTA, atoms);
  const masses = magnitudes(frame, MASSES, atoms) ?? magnitudes(frame, "numbers", atoms)?.map(massOf);
  return momenta && masses ? momenta.map((value, at) => value / (masses[Math.floor(at / 3)] || 1)) : null;
}

const massOf = (number: number) => atomicMasses[number] ?? 1;

function vectorArray(frame: Frame, key: string, atoms: number): Float32Array | null {
  const array = frame.get(key);
  const isVector = array instanceof FrameArray && array.shape.length === 2 && array.shape[1] === 3;
  if (!isVector || array.shape[0] !== atoms || !array.numbers) return null;
  return array.numbers instanceof Float32Array ? array.numbers : new Float32Array(array.numbers);
}

function lengths(numbers: Numbers, width: number, atoms: number): Float32Array {
  const found = new Float32Array(atoms);
  for (let atom = 0; atom < atoms; atom++) {
    let sum = 0;
    for (let at = atom * width; at < (atom + 1) * width; at++) sum += (numbers[at] as number) ** 2;
    found[atom] = Math.sqrt(sum);
  }
  return found;
}
