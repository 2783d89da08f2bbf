import type { Stage } from "./stage";

export interface Pace {
  readonly fps: number;
  readonly isLoop: boolean;
}

/** Shows one frame after the other. The next one comes when this one was drawn, and its time is over. */
export class Player {
  pace: Pace = { fps: 20, isLoop: true };
  private run = 0;

  constructor(
    private readonly stage: Stage,
    private readonly stepped: (step: number) => void,
  ) {}

  play(): void {
    this.run += 1;
    this.stage.state.set({ isPlaying: true });
    void this.loop(this.run);
  }

  pause(): void {
    this.run += 1;
    this.stage.state.set({ isPlaying: false });
  }

  toggle(): void {
    if (this.stage.state.get().isPlaying) this.pause();
    else this.play();
  }

  private async loop(run: number): Promise<void> {
    let isFirst = true;
    while (run === this.run) {
      const next = this.next(isFirst);
      if (next === null) return this.pause();
      isFirst = false;
      const time = wait(1000 / this.pace.fps);
      await this.stage.show(next);
      if (run === this.run) this.stepped(next);
      await time;
    }
  }

  /** At the end, playing begins again from the start. */
  private next(isFirst: boolean): number | null {
    const { step, length } = this.stage.state.get();
    if (length < 2) return null;
    if (step + 1 < length) return step + 1;
    return this.pace.isLoop || isFirst ? 0 : null;
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
