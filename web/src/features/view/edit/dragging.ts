import type { Vector } from "../engine/frame";
import type { MoleculeView } from "../engine/moleculeView";
import type { Edit } from "../stage";
import { moveAtoms, rotateAtoms } from "./edits";

interface Drag {
  /** In pixels since the drag began. */
  readonly x: number;
  readonly y: number;
  readonly isTurn: boolean;
}

/** The edit of a drag: the atoms move with the pointer in the plane of the view, or turn with it. */
export function dragged(view: MoleculeView, atoms: readonly number[], { x, y, isTurn }: Drag): Edit {
  const { camera } = view;
  const [right, up] = [camera.direction(1, 0, 0), camera.direction(0, 1, 0)];
  const along = (a: number, b: number): Vector => [
    right[0] * a + up[0] * b,
    right[1] * a + up[1] * b,
    right[2] * a + up[2] * b,
  ];
  const scale = camera.height / view.size.height;
  return isTurn
    ? (frame) => rotateAtoms(frame, atoms, along(y, x), Math.hypot(x, y) / 2)
    : (frame) => moveAtoms(frame, atoms, along(x * scale, -y * scale));
}
