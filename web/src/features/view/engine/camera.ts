import * as THREE from "three";
import type { Vector } from "./frame";

/** Where the viewer looks from. `height` is how much of the scene is visible, in Å, at the target. */
export interface CameraState {
  readonly target: Vector;
  readonly rotation: readonly [number, number, number, number];
  readonly height: number;
  readonly isPerspective: boolean;
}

/** Around all that is to be seen. */
export interface Sphere {
  readonly centre: Vector;
  readonly radius: number;
}

export type StandardView = "a" | "b" | "c" | "-a" | "-b" | "-c";

const FIELD = 30; // degrees
const MIN_HEIGHT = 0.5;
const MAX_HEIGHT = 100_000;
const MARGIN = 3; // radii; arrows of atoms at the edge reach out of the contents
const DIRECTIONS: Record<StandardView, [Vector, Vector]> = {
  a: [
    [1, 0, 0],
    [0, 0, 1],
  ],
  b: [
    [0, 1, 0],
    [0, 0, 1],
  ],
  c: [
    [0, 0, 1],
    [0, 1, 0],
  ],
  "-a": [
    [-1, 0, 0],
    [0, 0, 1],
  ],
  "-b": [
    [0, -1, 0],
    [0, 0, 1],
  ],
  "-c": [
    [0, 0, -1],
    [0, 1, 0],
  ],
};

/** A camera that turns around a target, as a pair of an orthographic and a perspective one. */
export class OrbitCamera {
  readonly orthographic = new THREE.OrthographicCamera();
  readonly perspective = new THREE.PerspectiveCamera(FIELD);
  readonly target = new THREE.Vector3();
  readonly rotation = new THREE.Quaternion();
  height = 20;
  isPerspective = true;
  /** The radius of what was to be seen when the camera was fitted. What is behind it fades. */
  reach = 20;
  private contents: Sphere = { centre: [0, 0, 0], radius: 20 };
  private aspect = 1;

  get active(): THREE.OrthographicCamera | THREE.PerspectiveCamera {
    return this.isPerspective ? this.perspective : this.orthographic;
  }

  get distance(): number {
    return this.height / 2 / Math.tan(THREE.MathUtils.degToRad(FIELD / 2));
  }

  get state(): CameraState {
    return {
      target: this.target.toArray(),
      rotation: this.rotation.toArray() as [number, number, number, number],
      height: this.height,
      isPerspective: this.isPerspective,
    };
  }

  set state(state: CameraState) {
    this.target.fromArray([...state.target]);
    this.rotation.fromArray([...state.rotation]).normalize();
    this.height = clampHeight(state.height);
    this.isPerspective = state.isPerspective;
    this.update();
  }

  /** A direction of the view, such as right (1, 0, 0) or up, in the scene. */
  direction(x: number, y: number, z: number): Vector {
    return new THREE.Vector3(x, y, z).applyQuaternion(this.rotation).toArray();
  }

  resize(width: number, height: number): void {
    this.aspect = width / Math.max(height, 1);
    this.update();
  }

  fit(centre: Vector, radius: number): void {
    this.target.set(...centre);
    this.reach = radius;
    this.contents = { centre, radius };
    this.height = clampHeight((1.95 * radius) / Math.min(1, this.aspect));
    this.update();
  }

  /** What there is to be seen from now on: nothing of it is clipped, wherever the camera is. */
  contain(contents: Sphere): void {
    this.contents = contents;
    this.update();
  }

  look(view: StandardView): void {
    const [from, up] = DIRECTIONS[view];
    const matrix = new THREE.Matrix4().lookAt(
      new THREE.Vector3(...from),
      new THREE.Vector3(),
      new THREE.Vector3(...up),
    );
    this.rotation.setFromRotationMatrix(matrix);
    this.update();
  }

  /** Turn by a movement of the pointer, in parts of the view's height. */
  turn(x: number, y: number, roll = 0): void {
    const step = new THREE.Quaternion().setFromEuler(
      new THREE.Euler(-y * Math.PI, -x * Math.PI, roll, "XYZ"),
    );
    this.rotation.multiply(step).normalize();
    this.update();
  }

  pan(x: number, y: number): void {
    const move = new THREE.Vector3(-x * this.height, y * this.height, 0).applyQuaternion(this.rotation);
    this.target.add(move);
    this.update();
  }

  zoom(factor: number): void {
    this.height = clampHeight(this.height * factor);
    this.update();
  }

  update(): void {
    const distance = this.distance;
    const [near, far] = this.clipping(distance);
    const offset = new THREE.Vector3(0, 0, distance).applyQuaternion(this.rotation);
    for (const camera of [this.orthographic, this.perspective]) {
      camera.position.copy(this.target).add(offset);
      camera.quaternion.copy(this.rotation);
      camera.near = camera.type === "OrthographicCamera" ? near : Math.max(near, distance * 0.01);
      camera.far = Math.max(far, distance * 0.02);
    }
    const half = this.height / 2;
    this.orthographic.top = half;
    this.orthographic.bottom = -half;
    this.orthographic.left = -half * this.aspect;
    this.orthographic.right = half * this.aspect;
    this.perspective.aspect = this.aspect;
    for (const camera of [this.orthographic, this.perspective]) {
      camera.updateProjectionMatrix();
      camera.updateMatrixWorld();
    }
  }

  private clipping(distance: number): [number, number] {
    const { centre, radius } = this.contents;
    const away = new THREE.Vector3(...centre).sub(this.target);
    const depth = distance - away.dot(new THREE.Vector3(0, 0, 1).applyQuaternion(this.rotation));
    return [depth - radius * MARGIN, depth + radius * MARGIN];
  }
}

const clampHeight = (height: number) => Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, height));
