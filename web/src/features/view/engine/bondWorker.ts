/** A Web Worker: bonds are searched for beside the page. */
import { findBonds } from "./bondSearch";
import type { MoleculeFrame } from "./frame";

export interface BondQuestion extends Omit<MoleculeFrame, "numbers"> {
  /** Null for those of the question before. */
  readonly numbers: Int32Array | null;
}

let known: ArrayLike<number> = [];

addEventListener("message", ({ data: { numbers, ...frame } }: MessageEvent<BondQuestion>) => {
  known = numbers ?? known;
  const bonds = findBonds({ numbers: known, ...frame });
  postMessage(bonds, { transfer: [bonds.pairs.buffer, bonds.shifts.buffer] });
});
