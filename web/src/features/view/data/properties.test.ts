import { describe, expect, it } from "vitest";
import { FrameArray, float64Array } from "@/api/frameArray";
import { MASSES, MOMENTA, VELOCITIES, vectors } from "./properties";

const integers = (values: number[]) =>
  new FrameArray("<i4", [values.length], new Uint8Array(Int32Array.from(values).buffer));
const momenta = float64Array(Float64Array.from([1.008, 0, 0, 0, -31.998, 0]), [2, 3]);
const frame = new Map<string, unknown>([
  ["numbers", integers([1, 8])],
  [MOMENTA, momenta],
]);
const rounded = (values: Float32Array | null) =>
  [...(values ?? [])].map((each) => Math.round(each * 1e4) / 1e4);

describe("vectors of atoms", () => {
  it("are those of an array of three columns", () => {
    expect(rounded(vectors(frame, MOMENTA, 2))).toEqual([1.008, 0, 0, 0, -31.998, 0]);
    expect(vectors(frame, "numbers", 2)).toBeNull();
    expect(vectors(frame, MOMENTA, 3)).toBeNull();
  });

  it("are velocities, from momenta and the masses of the elements", () => {
    expect(rounded(vectors(frame, VELOCITIES, 2))).toEqual([1, 0, 0, 0, -2, 0]);
    expect(vectors(new Map([["numbers", integers([1, 8])]]), VELOCITIES, 2)).toBeNull();
  });

  it("are velocities with the masses of the frame, if it has some", () => {
    const heavy = new Map([...frame, [MASSES, float64Array(Float64Array.from([2.016, 15.999]), [2])]]);
    expect(rounded(vectors(heavy, VELOCITIES, 2))).toEqual([0.5, 0, 0, 0, -2, 0]);
  });
});
