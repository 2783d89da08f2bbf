import type { Bonds } from "./bondSearch";
import type { MoleculeFrame } from "./frame";

/** Searches for bonds in a Web Worker, one frame at a time; of those that wait, only the newest is searched. */
export class BondFinder {
  private readonly worker = new Worker(new URL("./bondWorker.ts", import.meta.url), { type: "module" });
  private waiting: MoleculeFrame | null = null;
  private searched: MoleculeFrame | null = null;

  constructor(private readonly found: (bonds: Bonds, frame: MoleculeFrame) => void) {
    this.worker.addEventListener("message", ({ data }: MessageEvent<{ bonds: Bonds }>) => {
      const frame = this.searched;
      this.searched = null;
      if (frame) this.found(data.bonds, frame);
      if (this.waiting) this.search(this.waiting);
    });
  }

  search(frame: MoleculeFrame): void {
    this.waiting = this.searched ? frame : null;
    if (this.searched) return;
    this.searched = frame;
    const { cell, pbc } = frame;
    // Arrays of a frame are views of a message with many frames, all of which would be sent with them.
    const [numbers, positions] = [new Int32Array(frame.numbers), frame.positions.slice()];
    const transfer = [numbers.buffer, positions.buffer];
    this.worker.postMessage({ id: 0, frame: { numbers, positions, cell, pbc } }, transfer);
  }

  dispose(): void {
    this.worker.terminate();
  }
}
