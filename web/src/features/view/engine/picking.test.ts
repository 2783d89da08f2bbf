import { expect, it } from "vitest";
import { OrbitCamera } from "./camera";
import { pick, pickBox } from "./picking";

const positions = Float32Array.from([0, 0, -50, 0, 0, 0, 0, 0, 300]);
const atoms = { positions, radii: [1, 1, 1] };

function cameraOf(isPerspective: boolean): OrbitCamera {
  const camera = new OrbitCamera();
  camera.fit([0, 0, 0], 3);
  camera.isPerspective = isPerspective;
  camera.contain({ centre: [0, 0, 125], radius: 180 });
  return camera;
}

it("takes the atom in front, however near it is, where distance does not matter", () => {
  expect(pick(atoms, cameraOf(false).active, 0, 0)).toBe(2);
  expect(
    pickBox(positions, cameraOf(false).active, { left: 40, top: 40, right: 60, bottom: 60 }, 100, 100),
  ).toEqual([0, 1, 2]);
});

it("takes no atom behind the viewer in perspective", () => {
  expect(pick(atoms, cameraOf(true).active, 0, 0)).toBe(1);
});
