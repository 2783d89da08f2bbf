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
    expect(measure(frame, [1, 2])).toEqual({ kind: "Distance", value: 2, unit: "Å" });
    expect(measure(frame, [0, 1, 2])?.value).toBeCloseTo(90);
    expect(Math.abs(measure(frame, [0, 1, 2, 3])?.value ?? 0)).toBeCloseTo(90);
    expect(measure(frame, [0])).toBeNull();
    expect(measure(frame, [0, 9])).toBeNull();
  });

  it("is shown with its unit", () => {
    expect(inWords({ kind: "Distance", value: 2, unit: "Å" })).toBe("Distance 2.000 Å");
    expect(inWords({ kind: "Angle", value: 104.46, unit: "°" })).toBe("Angle 104.5°");
  });
});
