import { describe, expect, it } from "vitest";
import { findBonds } from "./bondSearch";
import type { MoleculeFrame } from "./frame";
import { moleculeOf } from "./molecules";

function frame(numbers: number[], positions: number[], cell: number[] | null = null): MoleculeFrame {
  return {
    numbers,
    positions: Float32Array.from(positions),
    cell: cell && Float64Array.from(cell),
    pbc: [cell !== null, cell !== null, cell !== null],
  };
}

/** Every pair, every image in 729 cells: slow and obviously right. */
function bruteForce(
  { numbers, positions, cell }: MoleculeFrame,
  radius: (number: number) => number,
): string[] {
  const found: string[] = [];
  const range = cell ? [-4, -3, -2, -1, 0, 1, 2, 3, 4] : [0];
  for (let i = 0; i < numbers.length; i++)
    for (let j = i; j < numbers.length; j++)
      for (const a of range)
        for (const b of range)
          for (const c of range) {
            if (i === j && !(a > 0 || (a === 0 && (b > 0 || (b === 0 && c > 0))))) continue;
            const d = [0, 1, 2].map(
              (k) =>
                (positions[j * 3 + k] as number) -
                (positions[i * 3 + k] as number) +
                (cell
                  ? a * (cell[k] as number) + b * (cell[3 + k] as number) + c * (cell[6 + k] as number)
                  : 0),
            );
            const limit = 1.2 * (radius(numbers[i] as number) + radius(numbers[j] as number));
            if (Math.hypot(...d) <= limit && Math.hypot(...d) >= 0.3) found.push(`${i} ${j} ${a} ${b} ${c}`);
          }
  return found.sort();
}

const list = ({ pairs, shifts }: ReturnType<typeof findBonds>) =>
  Array.from({ length: pairs.length / 2 }, (_, bond) =>
    [pairs[bond * 2], pairs[bond * 2 + 1], ...shifts.subarray(bond * 3, bond * 3 + 3)].join(" "),
  ).sort();

describe("bonds", () => {
  it("connect the atoms of water", () => {
    const water = frame([8, 1, 1], [0, 0, 0, 0.96, 0, 0, -0.24, 0.93, 0]);
    expect(list(findBonds(water))).toEqual(["0 1 0 0 0", "0 2 0 0 0"]);
    expect(moleculeOf(1, findBonds(water), 3)).toEqual([0, 1, 2]);
  });

  it("go to the image behind a boundary", () => {
    const pair = frame([6, 6], [0.2, 5, 5, 9.5, 5, 5], [10, 0, 0, 0, 10, 0, 0, 0, 10]);
    expect(list(findBonds(pair))).toEqual(["0 1 -1 0 0"]);
    expect(moleculeOf(0, findBonds(pair), 2)).toEqual([0, 1]);
  });

  it("count from where an atom is, also outside of the cell", () => {
    const pair = frame([6, 6], [0.2, 5, 5, 19.5, 5, 5], [10, 0, 0, 0, 10, 0, 0, 0, 10]);
    expect(list(findBonds(pair))).toEqual(["0 1 -2 0 0"]);
  });

  it("are those of a search over all pairs, in a small and in a slanted cell", () => {
    let state = 7;
    const random = () => {
      state = (state * 16807) % 2147483647;
      return state / 2147483647;
    };
    for (const cell of [
      null,
      [3.6, 0, 0, 0, 3.6, 0, 0, 0, 3.6],
      [9, 0, 0, 3, 8, 0, -2, 1, 7],
      [12, 0, 0, 0, 12, 0, 5, 5, 9],
    ]) {
      const count = cell && (cell[0] as number) < 5 ? 2 : 24;
      const positions = Array.from({ length: count * 3 }, () => random() * 9 - 1);
      const copper = frame(new Array(count).fill(29), positions, cell);
      expect(list(findBonds(copper))).toEqual(bruteForce(copper, () => Math.fround(1.32)));
    }
  });

  it("are found for a hundred thousand atoms", () => {
    const side = 46;
    const positions: number[] = [];
    for (let x = 0; x < side; x++)
      for (let y = 0; y < side; y++) for (let z = 0; z < side; z++) positions.push(x * 2.5, y * 2.5, z * 2.5);
    const crystal = frame(new Array(side ** 3).fill(29), positions, [
      side * 2.5,
      0,
      0,
      0,
      side * 2.5,
      0,
      0,
      0,
      side * 2.5,
    ]);
    expect(findBonds(crystal).pairs.length / 2).toBe(side ** 3 * 3);
  });
});
