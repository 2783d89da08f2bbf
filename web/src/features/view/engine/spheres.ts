import * as THREE from "three";
import { ATOM_AT } from "./atomTexture";
import { DEPTH_OF, MARKS, SHADE } from "./shading";

const VERTEX = /* glsl */ `
${ATOM_AT}
uniform float scale;
uniform float minimum;
in vec4 look;     // red, green, blue, marks: see MARKS
in float radius;
out vec3 centre;
out vec3 point;
out vec4 tint;
flat out float size;
${MARKS}
void main() {
  size = radius * scale * (isSelected(look.a) ? 1.08 : 1.0) + minimum;
  centre = (modelViewMatrix * vec4(atomAt(gl_InstanceID), 1.0)).xyz;
  // In perspective a sphere covers more than its radius: the square is large enough for both cameras.
  float reach = size * 1.5;
  point = centre + vec3(position.xy * reach, 0.0);
  tint = look;
  gl_Position = projectionMatrix * vec4(point, 1.0);
}
`;

const FRAGMENT = /* glsl */ `
precision highp float;
${SHADE}
uniform mat4 projectionMatrix;
uniform bool isOrthographic;
in vec3 centre;
in vec3 point;
in vec4 tint;
flat in float size;
out vec4 colour;
${DEPTH_OF}
${MARKS}
void main() {
  vec3 origin = isOrthographic ? vec3(point.xy, 0.0) : vec3(0.0);
  vec3 ray = isOrthographic ? vec3(0.0, 0.0, -1.0) : normalize(point);
  vec3 away = origin - centre;
  float along = dot(away, ray);
  float inside = along * along - dot(away, away) + size * size;
  if (inside < 0.0) discard;
  vec3 hit = origin + ray * (-along - sqrt(inside));
  vec3 normal = (hit - centre) / size;
  bool isChosen = isSelected(tint.a);
  vec3 base = isChosen ? mix(tint.rgb, highlightOf(tint.a), 0.55) : tint.rgb;
  // A fixed atom has a cross that faces the viewer.
  float cross_ = min(abs(normal.x - normal.y), abs(normal.x + normal.y));
  if (isFixed(tint.a) && cross_ < 0.16 && length(normal.xy) < 0.8) base *= 0.25;
  vec3 shaded = shade(base, normal, -hit.z);
  float rim = 1.0 - abs(dot(normal, -ray));
  if (isChosen) shaded = mix(shaded, highlightOf(tint.a), smoothstep(0.45, 0.8, rim));
  colour = vec4(shaded, 1.0);
  gl_FragDepth = depthOf(hit);
}
`;

/** All atoms as spheres that are drawn on squares: exact at any size, four corners each. */
export class Spheres {
  readonly mesh: THREE.Mesh<THREE.InstancedBufferGeometry, THREE.RawShaderMaterial>;
  private looks = new THREE.InstancedBufferAttribute(new Uint8Array(0), 4, true);
  private radii = new THREE.InstancedBufferAttribute(new Float32Array(0), 1);

  constructor(uniforms: Record<string, THREE.IUniform>) {
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(SQUARE), 3));
    geometry.setIndex([0, 1, 2, 2, 1, 3]);
    this.mesh = new THREE.Mesh(
      geometry,
      new THREE.RawShaderMaterial({
        glslVersion: THREE.GLSL3,
        vertexShader: `uniform mat4 modelViewMatrix;\nuniform mat4 projectionMatrix;\nin vec3 position;\n${VERTEX}`,
        fragmentShader: FRAGMENT,
        uniforms: { ...uniforms, scale: { value: 0.5 }, minimum: { value: 0 } },
      }),
    );
    this.mesh.frustumCulled = false;
  }

  /** Radii in Å, and colours as red, green, blue, marks for each atom. */
  setLooks(radii: Float32Array, looks: Uint8Array): void {
    const { geometry } = this.mesh;
    if (this.radii.count !== radii.length) {
      this.radii = new THREE.InstancedBufferAttribute(radii, 1);
      this.looks = new THREE.InstancedBufferAttribute(looks, 4, true);
      geometry.setAttribute("radius", this.radii);
      geometry.setAttribute("look", this.looks);
    } else {
      this.radii.array.set(radii);
      this.looks.array.set(looks);
    }
    this.radii.needsUpdate = true;
    this.looks.needsUpdate = true;
    geometry.instanceCount = radii.length;
  }

  setScale(scale: number, minimum = 0): void {
    (this.mesh.material.uniforms.scale as THREE.IUniform).value = scale;
    (this.mesh.material.uniforms.minimum as THREE.IUniform).value = minimum;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

const SQUARE = [-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0];
