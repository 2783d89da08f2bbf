/** Where running jobs have moved the atoms of a frame. Nothing of it is stored. */
export interface Preview {
  readonly jobId: string;
  readonly frame: number;
  /** x, y and z of each atom. */
  readonly positions: Float32Array;
}

const MAX_JOBS = 20;
const MAX_ENDED = 200;

/** The newest positions of each job that runs. */
export class Previews {
  private readonly byJob = new Map<string, Preview>();
  private readonly ended = new Set<string>();

  /** What arrives after the end of a job was overtaken by it. */
  show(preview: Preview): void {
    if (this.ended.has(preview.jobId)) return;
    this.byJob.delete(preview.jobId); // the newest is last
    this.byJob.set(preview.jobId, preview);
    if (this.byJob.size > MAX_JOBS) this.byJob.delete(first(this.byJob.keys()));
  }

  end(jobId: string): void {
    this.byJob.delete(jobId);
    this.ended.add(jobId);
    if (this.ended.size > MAX_ENDED) this.ended.delete(first(this.ended));
  }

  /** Frames from `start` on changed: what jobs showed of them is over. */
  change(start: number): void {
    for (const [jobId, { frame }] of this.byJob) if (frame >= start) this.byJob.delete(jobId);
  }

  /** The newest preview of a frame with so many atoms. */
  of(frame: number, atoms: number): Preview | null {
    const fitting = [...this.byJob.values()].filter(
      (each) => each.frame === frame && each.positions.length === atoms * 3,
    );
    return fitting.at(-1) ?? null;
  }
}

function first(keys: Iterable<string>): string {
  for (const key of keys) return key;
  return "";
}
