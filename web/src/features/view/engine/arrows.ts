import * as THREE from "three";
import { ATOM_AT } from "./atomTexture";
import { rawColour, SHADE } from "./shading";

const VERTEX = /* glsl */ `
${ATOM_AT}
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform float length_;
in vec3 position;  // a unit arrow along y
in vec3 normal;
in vec3 vector;
out vec3 facing;
out float depth;
void main() {
  float size = length(vector) * length_;
  vec3 along = size > 1e-9 ? normalize(vector) : vec3(0.0, 1.0, 0.0);
  vec3 aside = abs(along.y) < 0.99 ? normalize(cross(along, vec3(0.0, 1.0, 0.0))) : vec3(1.0, 0.0, 0.0);
  vec3 up = cross(aside, along);
  mat3 turn = mat3(aside, along, up);
  // The head keeps its shape; a short arrow is thinner.
  float thickness = min(1.0, size / 0.6);
  float y = position.y > 0.0 ? size - (1.0 - position.y) * min(0.7, size) : position.y;
  vec3 local = turn * vec3(position.x * thickness, y, position.z * thickness);
  vec4 view = modelViewMatrix * vec4(atomAt(gl_InstanceID) + local, 1.0);
  facing = normalize((modelViewMatrix * vec4(turn * normal, 0.0)).xyz);
  depth = -view.z;
  gl_Position = size > 1e-4 ? projectionMatrix * view : vec4(2.0, 2.0, 2.0, 1.0);
}
`;

const FRAGMENT = /* glsl */ `
precision highp float;
${SHADE}
uniform vec3 arrow;
in vec3 facing;
in float depth;
out vec4 colour;
void main() {
  colour = vec4(shade(arrow, normalize(facing), depth), 1.0);
}
`;

/** An arrow at each atom, for forces or velocities. */
export class Arrows {
  readonly mesh: THREE.Mesh<THREE.InstancedBufferGeometry, THREE.RawShaderMaterial>;

  constructor(uniforms: Record<string, THREE.IUniform>) {
    const geometry = unitArrow();
    this.mesh = new THREE.Mesh(
      geometry,
      new THREE.RawShaderMaterial({
        glslVersion: THREE.GLSL3,
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        uniforms: { ...uniforms, length_: { value: 1 }, arrow: { value: rawColour(0xd6336c) } },
      }),
    );
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  get count(): number {
    return this.mesh.visible ? this.mesh.geometry.instanceCount : 0;
  }

  /** Three numbers for each atom, drawn `scale` Å long per unit; null for none. */
  set(vectors: Float32Array | null, scale: number): void {
    const { geometry, material } = this.mesh;
    this.mesh.visible = vectors !== null;
    if (!vectors) return;
    const before = geometry.getAttribute("vector") as THREE.InstancedBufferAttribute | undefined;
    if (before?.array.length === vectors.length) {
      before.array.set(vectors);
      before.needsUpdate = true;
    } else {
      // A copy: the next frame is written into it, and the caller keeps this one.
      geometry.setAttribute("vector", new THREE.InstancedBufferAttribute(vectors.slice(), 3));
    }
    geometry.instanceCount = vectors.length / 3;
    (material.uniforms.length_ as THREE.IUniform).value = scale;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

/** A shaft and a head along y. All but its foot is drawn at a distance from the tip: the head keeps its length. */
function unitArrow(): THREE.InstancedBufferGeometry {
  const profile = [
    [0, 0],
    [0.1, 0],
    [0.1, 0.48],
    [0.24, 0.48],
    [0.001, 1],
  ].map(([x, y]) => new THREE.Vector2(x, y));
  const lathe = new THREE.LatheGeometry(profile, 10);
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("position", lathe.getAttribute("position"));
  geometry.setAttribute("normal", lathe.getAttribute("normal"));
  geometry.setIndex(lathe.getIndex());
  return geometry;
}
