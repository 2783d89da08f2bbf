import * as THREE from "three";
import { describe, expect, it } from "vitest";
import { OrbitCamera, type StandardView } from "./camera";
import { bounds, type Vector } from "./frame";

const CUBE = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z): Vector => [x, y, z])));

/** For each view: the axis that points at the viewer, and the one that points up. */
const VIEWS: [StandardView, Vector, Vector][] = [
  ["a", [1, 0, 0], [0, 0, 1]],
  ["-a", [-1, 0, 0], [0, 0, 1]],
  ["b", [0, 1, 0], [0, 0, 1]],
  ["-b", [0, -1, 0], [0, 0, 1]],
  ["c", [0, 0, 1], [0, 1, 0]],
  ["-c", [0, 0, -1], [0, 1, 0]],
];

const cameras = ({ orthographic, perspective }: OrbitCamera) => [orthographic, perspective];
const on = (camera: THREE.Camera, point: Vector) => new THREE.Vector3(...point).project(camera).toArray();
const times = (vector: Vector, factor: number) => vector.map((each) => each * factor) as unknown as Vector;

describe.each(VIEWS)("the standard view %s", (view, front, up) => {
  it("has its axes where they belong", () => {
    const camera = new OrbitCamera();
    camera.fit([0, 0, 0], 5);
    camera.look(view);
    for (const each of cameras(camera)) {
      const [near, far] = [on(each, front), on(each, times(front, -1))];
      expect(near[0]).toBeCloseTo(0);
      expect(near[1]).toBeCloseTo(0);
      expect(near[2]).toBeLessThan(far[2]);
      expect(on(each, up)[0]).toBeCloseTo(0);
      expect(on(each, up)[1]).toBeGreaterThan(0.1);
    }
    const right = new THREE.Vector3(...up).cross(new THREE.Vector3(...front));
    expect(on(camera.orthographic, right.toArray())[0]).toBeGreaterThan(0.1);
  });

  it("clips nothing of a frame that is larger than the one that was fitted", () => {
    const camera = new OrbitCamera();
    camera.fit([0, 0, 0], 3);
    camera.look(view);
    const corners = CUBE.map((corner) => times(corner, 400));
    const positions = Float32Array.from(corners.flat());
    camera.contain(bounds({ numbers: new Uint8Array(8), positions, cell: null, pbc: [false, false, false] }));
    for (const corner of corners) expect(Math.abs(on(camera.orthographic, corner)[2])).toBeLessThan(1);
    const behind = times(front, -400);
    expect(Math.abs(on(camera.perspective, behind)[2])).toBeLessThan(1);
  });
});

describe.each([0.5, 1, 2])("a view that is %f times as wide as high", (aspect) => {
  it("shows all of what is fitted, and fills most of the picture with it", () => {
    const camera = new OrbitCamera();
    camera.resize(600 * aspect, 600);
    camera.turn(0.2, 0.1);
    const centre: Vector = [4, -3, 12];
    camera.fit(centre, 5);
    const matrix = new THREE.Matrix4().makeRotationFromQuaternion(camera.rotation).setPosition(...centre);
    const edge = [...Array(36)].map((_, step) => {
      const angle = (step * Math.PI) / 18;
      return new THREE.Vector3(5 * Math.cos(angle), 5 * Math.sin(angle), 0).applyMatrix4(matrix);
    });
    for (const each of cameras(camera)) {
      const extent = (part: 0 | 1) =>
        Math.max(...edge.map((point) => Math.abs(on(each, point.toArray())[part])));
      const widest = Math.max(extent(0), extent(1));
      expect(widest).toBeGreaterThan(0.8);
      expect(widest).toBeLessThan(1.05);
      expect(on(each, centre)[0]).toBeCloseTo(0);
      expect(on(each, centre)[1]).toBeCloseTo(0);
    }
  });
});

describe("a camera that came from somebody else", () => {
  it("looks at the frame from where it is, however far away its target is", () => {
    const camera = new OrbitCamera();
    camera.fit([0, 0, 0], 3);
    camera.state = { target: [0, 0, 900], rotation: [0, 0, 0, 1], height: 20, isPerspective: false };
    expect(Math.abs(on(camera.orthographic, [0, 0, 0])[2])).toBeLessThan(1);
  });
});
