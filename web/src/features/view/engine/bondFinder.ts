import type { Bonds } from "./bondSearch";
import type { BondQuestion } from "./bondWorker";
import type { MoleculeFrame } from "./frame";

/** Searches for bonds in a Web Worker, one frame at a time; of those that wait, only the newest is searched. */
export class BondFinder {
  private readonly worker = new Worker(new URL("./bondWorker.ts", import.meta.url), { type: "module" });
  private waiting: MoleculeFrame | null = null;
  private searched: MoleculeFrame | null = null;
  private numbers: ArrayLike<number> | null = null;

  constructor(private readonly found: (bonds: Bonds, frame: MoleculeFrame) => void) {
    this.worker.addEventListener("message", ({ data }: MessageEvent<Bonds>) => {
      const frame = this.searched;
      this.searched = null;
      if (frame) this.found(data, frame);
      if (this.waiting) this.search(this.waiting);
    });
  }

  search(frame: MoleculeFrame): void {
    this.waiting = this.searched ? frame : null;
    if (this.searched) return;
    this.searched = frame;
    const { cell, pbc } = frame;
    // Arrays of a frame are views of a message with many frames, all of which would be sent with them.
    const positions = frame.positions.slice();
    const question: BondQuestion = { numbers: this.newNumbers(frame), positions, cell, pbc };
    this.worker.postMessage(question, [positions.buffer]);
  }

  /** The worker keeps those that it has. */
  private newNumbers({ numbers }: MoleculeFrame): Int32Array | null {
    if (numbers === this.numbers) return null;
    this.numbers = numbers;
    return new Int32Array(numbers);
  }

  dispose(): void {
    this.worker.terminate();
  }
}
