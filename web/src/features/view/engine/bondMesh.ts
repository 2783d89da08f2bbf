import * as THREE from "three";
import { ATOM_AT } from "./atomTexture";
import type { Bonds } from "./bondSearch";
import { DEPTH_OF, MARKS, SHADE } from "./shading";

const MAX_LENGTH = 7; // Å; no two radii add up to more

const VERTEX = /* glsl */ `
${ATOM_AT}
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform mat3 cell;
uniform float width;
uniform bool isOrthographic;
in vec3 position;  // x across the bond, y along it
in uvec2 ends;     // the atom that this half belongs to, and the other one
in vec3 shift;     // the cell of the other one
in vec4 look;
out vec3 point;
out vec3 axis;
out float across;
out vec4 tint;
void main() {
  vec3 from = (modelViewMatrix * vec4(atomAt(int(ends.x)), 1.0)).xyz;
  vec3 to = (modelViewMatrix * vec4(atomAt(int(ends.y)) + cell * shift, 1.0)).xyz;
  vec3 middle = 0.5 * (from + to);
  axis = normalize(to - from + vec3(1e-7));
  vec3 at = mix(from, middle, position.y);
  vec3 ray = isOrthographic ? vec3(0.0, 0.0, -1.0) : normalize(at);
  vec3 side = cross(axis, ray);
  side = length(side) < 1e-4 ? vec3(1.0, 0.0, 0.0) : normalize(side);
  point = at + side * position.x * width;
  across = position.x;
  tint = look;
  // Atoms that left the cell between two frames: their bond is searched again, and not drawn across until then.
  bool isTorn = distance(from, to) > ${MAX_LENGTH.toFixed(1)};
  gl_Position = isTorn ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * vec4(point, 1.0);
}
`;

const FRAGMENT = /* glsl */ `
precision highp float;
${SHADE}
uniform mat4 projectionMatrix;
uniform bool isOrthographic;
uniform float width;
in vec3 point;
in vec3 axis;
in float across;
in vec4 tint;
out vec4 colour;
${DEPTH_OF}
${MARKS}
void main() {
  vec3 ray = isOrthographic ? vec3(0.0, 0.0, -1.0) : normalize(point);
  vec3 side = normalize(cross(axis, ray));
  vec3 front = normalize(cross(side, axis));
  if (dot(front, ray) > 0.0) front = -front;
  float bulge = sqrt(max(0.0, 1.0 - across * across));
  vec3 normal = side * across + front * bulge;
  vec3 hit = point - ray * bulge * width;
  vec3 base = isSelected(tint.a) ? mix(tint.rgb, highlightOf(tint.a), 0.45) : tint.rgb;
  colour = vec4(shade(base, normal, -hit.z), 1.0);
  gl_FragDepth = depthOf(hit);
}
`;

const STRIP = [-1, 0, 0, 1, 0, 0, -1, 1, 0, 1, 1, 0];

/** Bonds as two halves in the colours of their atoms. One across a boundary ends in the middle of its way. */
export class BondMesh {
  readonly mesh: THREE.Mesh<THREE.InstancedBufferGeometry, THREE.RawShaderMaterial>;
  private ends = new Uint32Array(0);
  private isVisible = true;

  constructor(uniforms: Record<string, THREE.IUniform>) {
    this.mesh = new THREE.Mesh(
      makeGeometry(),
      new THREE.RawShaderMaterial({
        glslVersion: THREE.GLSL3,
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        uniforms: { ...uniforms, width: { value: 0.14 } },
        side: THREE.DoubleSide,
      }),
    );
    this.mesh.frustumCulled = false;
  }

  setBonds({ pairs, shifts }: Bonds): void {
    const halves = pairs.length;
    this.ends = new Uint32Array(halves * 2);
    const offsets = new Float32Array(halves * 3);
    for (let half = 0; half < halves; half++) {
      const bond = half >> 1;
      const sign = half & 1 ? -1 : 1;
      this.ends[half * 2] = pairs[half] as number;
      this.ends[half * 2 + 1] = pairs[half ^ 1] as number;
      for (let axis = 0; axis < 3; axis++)
        offsets[half * 3 + axis] = sign * (shifts[bond * 3 + axis] as number);
    }
    this.mesh.geometry.dispose();
    this.mesh.geometry = makeGeometry();
    const ends = new THREE.InstancedBufferAttribute(this.ends, 2);
    ends.gpuType = THREE.IntType;
    this.mesh.geometry.setAttribute("ends", ends);
    this.mesh.geometry.setAttribute("shift", new THREE.InstancedBufferAttribute(offsets, 3));
    this.mesh.geometry.instanceCount = halves;
    this.show();
  }

  setVisible(isVisible: boolean): void {
    this.isVisible = isVisible;
    this.show();
  }

  /** Without bonds there is nothing to draw, and that takes time too. */
  private show(): void {
    this.mesh.visible = this.isVisible && this.ends.length > 0;
  }

  /** The colours of the atoms, as for the spheres. */
  setLooks(looks: Uint8Array): void {
    const halves = this.ends.length / 2;
    const before = this.mesh.geometry.getAttribute("look") as THREE.InstancedBufferAttribute | undefined;
    const isSame = before?.array.length === halves * 4;
    const own = isSame ? (before.array as Uint8Array) : new Uint8Array(halves * 4);
    const [from, to] = [wordsOf(looks), wordsOf(own)]; // the four bytes of an atom at once
    for (let half = 0; half < halves; half++) to[half] = from[this.ends[half * 2] as number] as number;
    if (isSame) before.needsUpdate = true;
    else this.mesh.geometry.setAttribute("look", new THREE.InstancedBufferAttribute(own, 4, true));
  }

  setWidth(width: number): void {
    (this.mesh.material.uniforms.width as THREE.IUniform).value = width;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

const wordsOf = ({ buffer, byteOffset, length }: Uint8Array) =>
  new Uint32Array(buffer, byteOffset, length / 4);

function makeGeometry(): THREE.InstancedBufferGeometry {
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(STRIP), 3));
  geometry.setIndex([0, 1, 2, 2, 1, 3]);
  geometry.instanceCount = 0;
  return geometry;
}
