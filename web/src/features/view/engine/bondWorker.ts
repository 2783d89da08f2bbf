/** A Web Worker: bonds are searched for beside the page. */
import { findBonds } from "./bondSearch";
import type { MoleculeFrame } from "./frame";

export interface BondQuestion {
  readonly id: number;
  readonly frame: MoleculeFrame;
}

addEventListener("message", ({ data }: MessageEvent<BondQuestion>) => {
  const bonds = findBonds(data.frame);
  postMessage({ id: data.id, bonds }, { transfer: [bonds.pairs.buffer, bonds.shifts.buffer] });
});
