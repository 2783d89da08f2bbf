import { describe, expect, it } from "vitest";
import type { Vector } from "./frame";
import { shortestWay } from "./minimumImage";

const ALL = [true, true, true] as const;
const cubic = (size: number) => Float64Array.from([size, 0, 0, 0, size, 0, 0, 0, size]);

describe("the shortest way", () => {
  it("goes across a boundary if that is nearer", () => {
    const way = shortestWay([0.5, 5, 5], [9.5, 5, 5], { cell: cubic(10), pbc: ALL });
    expect(way).toEqual([-1, 0, 0]);
  });

  it("stays inside otherwise, also if both are as long", () => {
    const lattice = { cell: cubic(10), pbc: ALL };
    expect(shortestWay([1, 1, 1], [4, 1, 1], lattice)).toEqual([3, 0, 0]);
    expect(shortestWay([1, 1, 1], [6, 1, 1], lattice)).toEqual([5, 0, 0]);
    expect(shortestWay([6, 1, 1], [1, 1, 1], lattice)).toEqual([-5, 0, 0]);
  });

  it("crosses only where the cell is periodic", () => {
    const lattice = { cell: cubic(10), pbc: [false, true, true] as const };
    expect(shortestWay([0.5, 5, 5], [9.5, 5, 5], lattice)).toEqual([9, 0, 0]);
    expect(shortestWay([0.5, 5, 5], [9.5, 5, 5], { cell: null, pbc: ALL })).toEqual([9, 0, 0]);
  });

  it("comes back from far outside of the cell", () => {
    expect(shortestWay([0, 0, 0], [101, -52, 0.5], { cell: cubic(10), pbc: ALL })).toEqual([1, -2, 0.5]);
  });

  it("is the shortest of all in a skewed cell", () => {
    const cell = Float64Array.from([5, 0, 0, 4.5, 2, 0, 3, 1.5, 3]);
    for (let number = 0; number < 50; number++) {
      const to = [1, 2, 3].map((each) => Math.sin(number * each * 1.7) * 9) as unknown as Vector;
      expect(Math.hypot(...shortestWay([0, 0, 0], to, { cell, pbc: ALL }))).toBeCloseTo(
        byTrying(to, cell),
        3,
      );
    }
  });
});

function byTrying(to: Vector, cell: Float64Array): number {
  let best = Infinity;
  for (let a = -12; a <= 12; a++)
    for (let b = -12; b <= 12; b++)
      for (let c = -12; c <= 12; c++) {
        const at = (axis: number) =>
          (to[axis] as number) +
          a * (cell[axis] as number) +
          b * (cell[3 + axis] as number) +
          c * (cell[6 + axis] as number);
        best = Math.min(best, Math.hypot(at(0), at(1), at(2)));
      }
  return best;
}
