import * as THREE from "three";
import { cellCorners } from "./frame";

const EDGES = [0, 1, 0, 2, 0, 4, 1, 3, 1, 5, 2, 3, 2, 6, 3, 7, 4, 5, 4, 6, 5, 7, 6, 7];

/** The twelve edges of the cell. */
export class CellLines {
  readonly lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());

  private last = "";

  set(cell: Float64Array | null): void {
    const now = String(cell);
    if (now === this.last) return;
    this.last = now;
    const corners = cellCorners(cell);
    const points = corners.length
      ? EDGES.map((corner) => new THREE.Vector3(...(corners[corner] as [number, number, number])))
      : [];
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry().setFromPoints(points);
  }

  setColour(colour: THREE.Color): void {
    this.lines.material.color.copy(colour);
  }

  dispose(): void {
    this.lines.geometry.dispose();
    this.lines.material.dispose();
  }
}
