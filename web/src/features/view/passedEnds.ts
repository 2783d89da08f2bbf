const RECENT_MS = 3000;

/**
 * The ends that were shown one after the other while frames were appended. Another page that follows the appends
 * shares its step a moment later: that is an end which was passed here, and no wish to go back to it.
 */
export class PassedEnds {
  private first = 0;
  private last = -1;
  private at = Number.NEGATIVE_INFINITY;

  /** An append moved the view from one end to the next. */
  note(from: number, to: number, now: number): void {
    if (now - this.at > RECENT_MS || from !== this.last) this.first = from;
    this.last = to;
    this.at = now;
  }

  /** Whether a shared step is one of the ends that were passed just now, as seen from the step `here`. */
  has(step: number, here: number, now: number): boolean {
    return here === this.last && now - this.at <= RECENT_MS && step >= this.first && step < this.last;
  }
}
