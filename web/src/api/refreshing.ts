import type { QueryClient, QueryKey } from "@tanstack/react-query";

const CALM_MS = 700;

/** Asks again for what changed: at once, and under a storm of changes once in a while. */
export class Refreshing {
  private readonly waiting = new Map<string, QueryKey>();
  private readonly resting = new Set<string>();

  constructor(private readonly client: QueryClient) {}

  soon(key: QueryKey): void {
    const name = JSON.stringify(key);
    if (this.resting.has(name)) {
      this.waiting.set(name, key);
      return;
    }
    this.resting.add(name);
    setTimeout(() => this.rested(name), CALM_MS);
    void this.client.invalidateQueries({ queryKey: key });
  }

  private rested(name: string): void {
    this.resting.delete(name);
    const key = this.waiting.get(name);
    if (this.waiting.delete(name) && key) this.soon(key);
  }
}
