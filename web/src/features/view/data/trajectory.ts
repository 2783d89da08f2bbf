import { FrameArray } from "@/api/frameArray";
import type { Frame } from "@/api/frameMessage";
import type { FrameRange, ReadFrames } from "@/api/frameRequests";

type Read = (range: FrameRange) => Promise<ReadFrames>;

const MAX_BYTES = 300_000_000;
const CHUNK_BYTES = 2_000_000;
const MAX_CHUNK = 100;
const AHEAD = 2; // chunks

/**
 * Frames that were read, and those that will soon be needed. The first frame is read alone, so that it is shown soon;
 * the following ones in ranges.
 */
export class Trajectory {
  length = 0;
  version = 0;
  private readonly frames = new Map<number, Frame>();
  private readonly loading = new Map<number, number>(); // start → stop
  private bytes = 0;
  private frameBytes = 0;
  private epoch = 0;

  constructor(
    private readonly read: Read,
    private keys: readonly string[],
    private readonly events: {
      readonly loaded: () => void;
      readonly failed: (error: Error) => void;
    },
  ) {}

  get(index: number): Frame | undefined {
    return this.frames.get(index);
  }

  /** Read a frame if it is missing, and then what comes after it in this direction. */
  want(index: number, direction: 1 | -1 = 1): void {
    if (index < 0 || index >= this.length) return;
    const next = this.missing(index, direction);
    if (next === null) return;
    if (next === index && !this.frameBytes) this.fetch(index, index + 1);
    else this.load(next, direction);
  }

  /** The first frame that is not there yet, of those that will soon be needed. */
  private missing(index: number, direction: 1 | -1): number | null {
    for (let step = 0; step <= AHEAD * this.chunk; step++) {
      const next = index + step * direction;
      if (next < 0 || next >= this.length) return null;
      if (!this.frames.has(next)) return next;
    }
    return null;
  }

  /** Frames from `start` on are out of date. */
  change(start: number, length: number, version: number): void {
    this.version = version;
    this.length = length;
    this.forget(start);
  }

  append(length: number, version: number): void {
    this.version = version;
    this.length = length;
  }

  setKeys(keys: readonly string[]): boolean {
    if (String(keys) === String(this.keys)) return false;
    this.keys = keys;
    this.forget(0);
    return true;
  }

  private get chunk(): number {
    return Math.max(1, Math.min(MAX_CHUNK, Math.floor(CHUNK_BYTES / Math.max(this.frameBytes, 1))));
  }

  private forget(start: number): void {
    this.epoch += 1;
    this.loading.clear();
    for (const [index, frame] of this.frames) if (index >= start) this.drop(index, frame);
  }

  private load(index: number, direction: 1 | -1): void {
    const size = this.chunk;
    const start = direction > 0 ? index : Math.max(0, index - size + 1);
    let stop = Math.min(this.length, start + size);
    for (let each = index + 1; each < stop; each++) if (this.frames.has(each)) stop = each;
    this.fetch(start, stop);
  }

  private fetch(start: number, stop: number): void {
    for (const [first, last] of this.loading) if (start >= first && start < last) return;
    const { epoch } = this;
    this.loading.set(start, stop);
    this.read({ start, stop, keys: this.keys, isCompact: true })
      .then(({ frames }) => {
        if (epoch !== this.epoch) return;
        this.loading.delete(start);
        for (const [at, frame] of frames.entries()) this.keep(start + at, frame);
        this.evict(start, stop);
        this.events.loaded();
      })
      .catch((error: Error) => {
        if (epoch !== this.epoch) return;
        this.loading.delete(start);
        this.events.failed(error);
      });
  }

  private keep(index: number, frame: Frame): void {
    this.frameBytes = sizeOf(frame);
    const before = this.frames.get(index);
    if (before) this.drop(index, before);
    this.frames.set(index, frame);
    this.bytes += this.frameBytes;
  }

  private drop(index: number, frame: Frame): void {
    this.frames.delete(index);
    this.bytes -= sizeOf(frame);
  }

  /** The frames that were read first go first. */
  private evict(start: number, stop: number): void {
    for (const [index, frame] of this.frames) {
      if (this.bytes <= MAX_BYTES) return;
      if (index < start || index >= stop) this.drop(index, frame);
    }
  }
}

function sizeOf(frame: Frame): number {
  let size = 200;
  for (const value of frame.values()) size += value instanceof FrameArray ? value.bytes.length : 50;
  return size;
}
