/** Calls a function with the newest of many values: at once, and then once in a while. */
export class Throttle<T> {
  private waiting: { readonly value: T } | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly act: (value: T) => void,
    private readonly ms: number,
  ) {}

  call(value: T): void {
    this.waiting = { value };
    if (this.timer === null) this.flush();
  }

  /** Call it now with what is waiting. */
  flush(): void {
    const { waiting } = this;
    this.stop();
    if (!waiting) return;
    this.timer = setTimeout(() => this.flush(), this.ms);
    this.act(waiting.value);
  }

  /** Forget what is waiting: it was overtaken. */
  forget(): void {
    this.waiting = null;
  }

  private stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.waiting = null;
  }
}
