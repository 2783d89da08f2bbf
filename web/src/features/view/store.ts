import { useSyncExternalStore } from "react";

/** State that lives outside of React: a component renders again only if the part that it selects changed. */
export class Store<T extends object> {
  private readonly listeners = new Set<() => void>();

  constructor(private state: T) {}

  readonly get = (): T => this.state;

  /** Nobody is notified if everything is as before. */
  set(change: Partial<T>): void {
    const keys = Object.keys(change) as (keyof T)[];
    if (keys.every((key) => Object.is(change[key], this.state[key]))) return;
    this.state = { ...this.state, ...change };
    for (const listener of [...this.listeners]) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export function useStore<T extends object, S>(store: Store<T>, select: (state: T) => S): S {
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
