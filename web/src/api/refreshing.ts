import type { QueryClient, QueryKey } from "@tanstack/react-query";

const CALM_MS = 700;

/** Asks again for what changed: at once, and under a storm of changes once in a while. */
export class Refreshing {
  private readonly waiting = new Map<string, QueryKey>();
  private readonly resting = new Set<string>();

  constructor(private readonly client: QueryClient) {}

  soon(key: QueryKey): void {
    const name = JSON.stringify(key);
    if (this.resting.has(name)) this.waiting.set(name, key);
    else void this.refresh(name, key);
  }

  /** An answer that is under way may tell of the time before: it is awaited, and followed by another. */
  private async refresh(name: string, key: QueryKey): Promise<void> {
    this.resting.add(name);
    if (this.client.isFetching({ queryKey: key })) this.waiting.set(name, key);
    const isCalm = new Promise((resolve) => setTimeout(resolve, CALM_MS));
    await this.client.invalidateQueries({ queryKey: key }, { cancelRefetch: false });
    await isCalm;
    this.resting.delete(name);
    const again = this.waiting.get(name);
    if (this.waiting.delete(name) && again) this.soon(again);
  }
}
