import * as THREE from "three";
import type { Vector } from "./frame";
import { rawColour, SHADE } from "./shading";

interface Look {
  readonly colour: string;
  readonly opacity: number;
}

/** Something that is drawn beside the atoms. Lengths are in Å. */
export type Shape =
  | ({ readonly kind: "arrow"; readonly start: Vector; readonly end: Vector; readonly radius: number } & Look)
  | ({
      readonly kind: "curve";
      readonly points: readonly Vector[];
      readonly radius: number;
      readonly isClosed: boolean;
    } & Look)
  | ({
      readonly kind: "box";
      readonly center: Vector;
      readonly size: Vector;
      readonly degrees: Vector;
    } & Look)
  | ({
      readonly kind: "plane";
      readonly center: Vector;
      readonly normal: Vector;
      readonly size: number;
    } & Look)
  | ({ readonly kind: "sphere"; readonly center: Vector; readonly radius: number } & Look);

const VERTEX = /* glsl */ `
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
in vec3 position;
in vec3 normal;
out vec3 facing;
out float depth;
void main() {
  vec4 view = modelViewMatrix * vec4(position, 1.0);
  facing = mat3(modelViewMatrix) * normal;
  depth = -view.z;
  gl_Position = projectionMatrix * view;
}
`;

const FRAGMENT = /* glsl */ `
precision highp float;
${SHADE}
uniform vec3 tint;
uniform float opacity;
in vec3 facing;
in float depth;
out vec4 colour;
void main() {
  vec3 normal = normalize(gl_FrontFacing ? facing : -facing);
  colour = vec4(shade(tint, normal, depth), opacity);
}
`;

const UP = new THREE.Vector3(0, 1, 0);
const FORWARD = new THREE.Vector3(0, 0, 1);
const AROUND = 12; // corners of what is round
const PER_POINT = 6; // pieces of a curve between two points
const MAX_PIECES = 3000;

/** Arrows, curves, boxes, planes and spheres. */
export class Shapes {
  readonly group = new THREE.Group();
  private readonly box = new THREE.Box3();
  /** The shapes before these: without any that were drawn, the shaders would be compiled again. */
  private readonly last = new THREE.Group();

  constructor(private readonly uniforms: Record<string, THREE.IUniform>) {}

  get count(): number {
    return this.group.visible ? this.group.children.length : 0;
  }

  set(shapes: readonly Shape[]): void {
    discard(this.last);
    if (this.group.children.length) this.last.add(...this.group.children);
    for (const shape of shapes) {
      const made = new THREE.Group();
      const [material, line] = [this.material(shape), lineMaterial(shape)];
      for (const geometry of geometriesOf(shape)) {
        made.add(new THREE.Mesh(geometry, material));
        if (shape.kind === "box" || shape.kind === "plane")
          made.add(new THREE.LineSegments(new THREE.EdgesGeometry(geometry), line));
      }
      this.group.add(made);
    }
    this.box.setFromObject(this.group);
  }

  /** How far the shapes reach from a point. */
  reachFrom(centre: Vector): number {
    if (!this.group.visible || this.box.isEmpty()) return 0;
    const from = new THREE.Vector3(...centre);
    return Math.max(from.distanceTo(this.box.min), from.distanceTo(this.box.max));
  }

  dispose(): void {
    discard(this.last);
    discard(this.group);
  }

  private material({ colour, opacity }: Look): THREE.RawShaderMaterial {
    return new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { ...this.uniforms, tint: { value: rawColour(colour) }, opacity: { value: opacity } },
      side: THREE.DoubleSide,
      transparent: opacity < 1,
      depthWrite: opacity >= 1,
    });
  }
}

function lineMaterial({ colour }: Look): THREE.LineBasicMaterial {
  return new THREE.LineBasicMaterial({ color: new THREE.Color(colour) });
}

function geometriesOf(shape: Shape): THREE.BufferGeometry[] {
  if (shape.kind === "arrow") return [arrow(shape.start, shape.end, shape.radius)];
  if (shape.kind === "curve") return curve(shape.points, shape.radius, shape.isClosed);
  if (shape.kind === "sphere") return [ball(shape.center, shape.radius)];
  if (shape.kind === "plane") {
    const turn = new THREE.Quaternion().setFromUnitVectors(
      FORWARD,
      new THREE.Vector3(...shape.normal).normalize(),
    );
    return [placed(new THREE.PlaneGeometry(shape.size, shape.size), turn, shape.center)];
  }
  const [x, y, z] = shape.degrees.map(THREE.MathUtils.degToRad) as [number, number, number];
  const turn = new THREE.Quaternion().setFromEuler(new THREE.Euler(x, y, z));
  return [placed(new THREE.BoxGeometry(...shape.size), turn, shape.center)];
}

/** The head is at most half of the arrow. */
function arrow(start: Vector, end: Vector, radius: number): THREE.BufferGeometry {
  const along = new THREE.Vector3(...end).sub(new THREE.Vector3(...start));
  const length = Math.max(along.length(), 1e-6);
  const head = Math.min(5 * radius, length / 2);
  const profile = [
    [0, 0],
    [radius, 0],
    [radius, length - head],
    [2.4 * radius, length - head],
    [radius / 50, length],
  ].map(([x, y]) => new THREE.Vector2(x, y));
  const turn = new THREE.Quaternion().setFromUnitVectors(UP, along.normalize());
  return placed(new THREE.LatheGeometry(profile, AROUND), turn, start);
}

/** A smooth tube through the points, with round ends. */
function curve(points: readonly Vector[], radius: number, isClosed: boolean): THREE.BufferGeometry[] {
  const path = new THREE.CatmullRomCurve3(
    points.map((point) => new THREE.Vector3(...point)),
    isClosed,
  );
  const pieces = Math.min(points.length * PER_POINT, MAX_PIECES);
  const tube = new THREE.TubeGeometry(path, pieces, radius, AROUND, isClosed);
  const ends = isClosed ? [] : [points[0] as Vector, points.at(-1) as Vector];
  return [tube, ...ends.map((end) => ball(end, radius))];
}

function ball(center: Vector, radius: number): THREE.BufferGeometry {
  return new THREE.SphereGeometry(radius, 2 * AROUND, AROUND).translate(...center);
}

function placed(geometry: THREE.BufferGeometry, turn: THREE.Quaternion, at: Vector): THREE.BufferGeometry {
  return geometry.applyQuaternion(turn).translate(...at);
}

function discard(group: THREE.Group): void {
  group.traverse((each) => {
    if (!(each instanceof THREE.Mesh || each instanceof THREE.LineSegments)) return;
    each.geometry.dispose();
    each.material.dispose();
  });
  group.clear();
}
