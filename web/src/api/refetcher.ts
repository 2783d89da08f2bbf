import type { QueryClient, QueryKey } from "@tanstack/react-query";

const AT_ONCE = { delayMs: 0, intervalMs: 700 };

/** Refetches changed queries: soon at first, then throttled while changes keep coming. */
export class Refetcher {
  private readonly queued = new Map<string, QueryKey>();
  private readonly throttled = new Set<string>();

  constructor(
    private readonly client: QueryClient,
    private readonly pace = AT_ONCE,
  ) {}

  refetch(key: QueryKey): void {
    const name = JSON.stringify(key);
    if (this.throttled.has(name)) this.queued.set(name, key);
    else void this.run(name, key);
  }

  /** A response already under way may be out of date: let it finish, then fetch once more. */
  private async run(name: string, key: QueryKey): Promise<void> {
    this.throttled.add(name);
    if (this.pace.delayMs) await after(this.pace.delayMs);
    if (this.client.isFetching({ queryKey: key })) this.queued.set(name, key);
    const interval = after(this.pace.intervalMs);
    await this.client.invalidateQueries({ queryKey: key }, { cancelRefetch: false });
    await interval;
    this.throttled.delete(name);
    const again = this.queued.get(name);
    if (this.queued.delete(name) && again) this.refetch(again);
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
