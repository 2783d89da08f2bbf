import { describe, expect, it } from "vitest";
import { describe as inWords, measure } from "./measure";

const frame = {
  numbers: [1, 1, 1, 1],
  positions: Float32Array.from([1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 2]),
  cell: null,
  pbc: [false, false, false] as const,
};

describe("measuring", () => {
  it("takes two atoms for a distance, three for an angle, four for a dihedral", () => {
    expect(measure(frame, [1, 2])).toMatchObject({ kind: "Distance", value: 2, unit: "Å" });
    expect(measure(frame, [0, 1, 2])?.value).toBeCloseTo(90);
    expect(Math.abs(measure(frame, [0, 1, 2, 3])?.value ?? 0)).toBeCloseTo(90);
    expect(measure(frame, [0])).toBeNull();
    expect(measure(frame, [0, 9])).toBeNull();
  });

  it("is shown with its unit", () => {
    const rest = { path: [] };
    expect(inWords({ kind: "Distance", value: 2, unit: "Å", ...rest })).toBe("Distance 2.000 Å");
    expect(inWords({ kind: "Angle", value: 104.46, unit: "°", ...rest })).toBe("Angle 104.5°");
  });

  it("takes the nearest images in a periodic cell, and says so", () => {
    const periodic = {
      numbers: [1, 8, 1],
      positions: Float32Array.from([9.5, 5, 5, 0.5, 5, 5, 0.5, 4, 5]),
      cell: Float64Array.from([10, 0, 0, 0, 10, 0, 0, 0, 10]),
      pbc: [true, true, true] as const,
    };
    const distance = measure(periodic, [0, 1]);
    expect(distance?.value).toBeCloseTo(1);
    expect(distance && inWords(distance)).toBe("Distance 1.000 Å across the boundary");
    expect(distance?.path[1]).toEqual({ point: [10.5, 5, 5], isImage: true });
    expect(measure(periodic, [0, 1, 2])?.value).toBeCloseTo(90);
    expect(measure(periodic, [1, 2])?.path.some(({ isImage }) => isImage)).toBe(false);
    expect(measure({ ...periodic, pbc: [false, false, false] }, [0, 1])?.value).toBeCloseTo(9);
  });
});
