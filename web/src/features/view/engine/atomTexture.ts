import * as THREE from "three";

/** Atoms in one row of the texture: a texture is at most 4096 wide everywhere. */
const PER_ROW = 1024;

/**
 * The positions of all atoms, three floats each, in a texture: spheres, bonds and arrows read them by the number of
 * the atom, so that a new frame uploads 12 bytes per atom and nothing else.
 */
export class AtomTexture {
  texture = makeTexture(1);
  private data = this.texture.image.data as Float32Array;

  set(positions: Float32Array): void {
    const rows = Math.max(1, Math.ceil(positions.length / 3 / PER_ROW));
    if (rows !== this.texture.image.height) {
      this.texture.dispose();
      this.texture = makeTexture(rows);
      this.data = this.texture.image.data as Float32Array;
    }
    this.data.set(positions);
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.texture.dispose();
  }
}

function makeTexture(rows: number): THREE.DataTexture {
  const texture = new THREE.DataTexture(
    new Float32Array(PER_ROW * 3 * rows),
    PER_ROW * 3,
    rows,
    THREE.RedFormat,
    THREE.FloatType,
  );
  texture.unpackAlignment = 4;
  return texture;
}

/** GLSL that reads the position of an atom. */
export const ATOM_AT = /* glsl */ `
uniform highp sampler2D atoms;
vec3 atomAt(int atom) {
  int column = (atom % ${PER_ROW}) * 3;
  int row = atom / ${PER_ROW};
  return vec3(
    texelFetch(atoms, ivec2(column, row), 0).r,
    texelFetch(atoms, ivec2(column + 1, row), 0).r,
    texelFetch(atoms, ivec2(column + 2, row), 0).r);
}
`;
