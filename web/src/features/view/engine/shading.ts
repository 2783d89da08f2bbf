import * as THREE from "three";

/** A colour as these shaders use it: they write what the screen shows, without a conversion. */
export function rawColour(colour: number | string): THREE.Color {
  return new THREE.Color().set(colour).convertLinearToSRGB();
}

/** GLSL shared by spheres, bonds and arrows: light from the viewer, and distance that fades into the background. */
export const SHADE = /* glsl */ `
uniform vec3 background;
uniform vec2 fog;
vec3 shade(vec3 colour, vec3 normal, float depth) {
  float light = max(dot(normal, normalize(vec3(0.25, 0.35, 1.0))), 0.0);
  float shine = pow(max(dot(normal, normalize(vec3(0.3, 0.5, 1.2))), 0.0), 40.0);
  vec3 lit = colour * (0.38 + 0.68 * light) + vec3(0.28) * shine;
  float far = clamp((depth - fog.x) / max(fog.y - fog.x, 1e-3), 0.0, 1.0);
  return mix(lit, background, far * 0.55);
}
`;

/** The depth that the depth buffer would have for a point in the view. */
export const DEPTH_OF = /* glsl */ `
float depthOf(vec3 view) {
  vec4 clip = projectionMatrix * vec4(view, 1.0);
  return 0.5 * clip.z / clip.w + 0.5;
}
`;

/** Marks of an atom, in the fourth byte of its colour: 1 for a fixed atom, and twice the number of its highlight. */
export const FIXED = 1;
export const HIGHLIGHT = 2;
export const MAX_HIGHLIGHTS = 16;

export const MARKS = /* glsl */ `
uniform vec3 highlights[${MAX_HIGHLIGHTS}];
int marksOf(float look) { return int(look * 255.0 + 0.5); }
bool isSelected(float look) { return marksOf(look) >= ${HIGHLIGHT}; }
bool isFixed(float look) { return (marksOf(look) & ${FIXED}) != 0; }
vec3 highlightOf(float look) { return highlights[max(marksOf(look) / ${HIGHLIGHT} - 1, 0)]; }
`;
