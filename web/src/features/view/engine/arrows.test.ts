import type * as THREE from "three";
import { describe, expect, it } from "vitest";
import { Arrows } from "./arrows";

const drawn = ({ mesh }: Arrows) => [
  ...(mesh.geometry.getAttribute("vector") as THREE.InstancedBufferAttribute).array,
];

describe("arrows", () => {
  it("leave the vectors of each frame as they are, so that the first is drawn again", () => {
    const forward = Float32Array.from([1, 0, 0]);
    const backward = Float32Array.from([-1, 0, 0]);
    const arrows = new Arrows({});
    for (const each of [forward, backward]) arrows.set(each, 1);
    expect(drawn(arrows)).toEqual([-1, 0, 0]);
    arrows.set(forward, 1);
    expect(drawn(arrows)).toEqual([1, 0, 0]);
  });

  it("are as many as there are vectors", () => {
    const arrows = new Arrows({});
    for (const count of [1, 3, 2]) {
      arrows.set(new Float32Array(count * 3).fill(count), 1);
      expect(arrows.count).toBe(count);
      expect(drawn(arrows)).toEqual(Array(count * 3).fill(count));
    }
    arrows.set(null, 1);
    expect(arrows.count).toBe(0);
  });
});
