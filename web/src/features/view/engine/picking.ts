import * as THREE from "three";
import type { Vector } from "./frame";
import type { Box } from "./gestures";

/** What of the scene can be picked: positions, and the radii with which the atoms are drawn. */
export interface Pickable {
  readonly positions: Float32Array;
  readonly radii: ArrayLike<number>;
}

/** The atom in front at a point of the view, given in -1 to 1; -1 if there is none. */
export function pick({ positions, radii }: Pickable, camera: THREE.Camera, x: number, y: number): number {
  const ray = new THREE.Raycaster();
  ray.setFromCamera(new THREE.Vector2(x, y), camera as THREE.PerspectiveCamera);
  const { origin, direction } = ray.ray;
  const behind = camera instanceof THREE.OrthographicCamera ? -Infinity : 0; // it has no place, but a direction
  let [best, nearest] = [-1, Infinity];
  for (let atom = 0, at = 0; at < positions.length; atom++, at += 3) {
    const dx = (positions[at] as number) - origin.x;
    const dy = (positions[at + 1] as number) - origin.y;
    const dz = (positions[at + 2] as number) - origin.z;
    const along = dx * direction.x + dy * direction.y + dz * direction.z;
    const radius = radii[atom] as number;
    const inside = radius * radius - (dx * dx + dy * dy + dz * dz - along * along);
    if (inside < 0 || along < behind) continue;
    const distance = along - Math.sqrt(inside);
    if (distance < nearest) [best, nearest] = [atom, distance];
  }
  return best;
}

/** The atoms whose centres are in a box, given in pixels of a view of this size. */
export function pickBox(
  positions: Float32Array,
  camera: THREE.Camera,
  box: Box,
  width: number,
  height: number,
): number[] {
  const matrix = new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  const point = new THREE.Vector3();
  const found: number[] = [];
  for (let atom = 0, at = 0; at < positions.length; atom++, at += 3) {
    point.fromArray(positions, at).applyMatrix4(matrix);
    const x = ((point.x + 1) / 2) * width;
    const y = ((1 - point.y) / 2) * height;
    const isInside = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
    if (isInside && Math.abs(point.z) <= 1) found.push(atom);
  }
  return found;
}

/** Where a point of the scene is in the view, in pixels. */
export function project(
  position: Vector,
  camera: THREE.Camera,
  width: number,
  height: number,
): { x: number; y: number } {
  const point = new THREE.Vector3(...position).project(camera);
  return { x: ((point.x + 1) / 2) * width, y: ((1 - point.y) / 2) * height };
}
