import { api, dataOf } from "./client";
import type { Person } from "./schema";

const MAX_IDS = 100;
const BATCH_MS = 20;

type Waiting = Map<string, ((person: Promise<Person>) => void)[]>;

let waiting: Waiting = new Map();

/** Fetches people in batches: a list needs many of them at about the same time. */
export function fetchPerson(id: string): Promise<Person> {
  return new Promise((resolve) => {
    if (waiting.size === 0) setTimeout(fetchWaiting, BATCH_MS);
    waiting.set(id, [...(waiting.get(id) ?? []), resolve]);
  });
}

function fetchWaiting(): void {
  const batch = waiting;
  waiting = new Map();
  const ids = [...batch.keys()];
  for (let start = 0; start < ids.length; start += MAX_IDS)
    fetchBatch(ids.slice(start, start + MAX_IDS), batch);
}

function fetchBatch(ids: string[], batch: Waiting): void {
  const response = dataOf(api.GET("/api/people", { params: { query: { id: ids } } }));
  for (const id of ids) {
    const person = response.then(({ items }) => items.find((each) => each.id === id) ?? unknown(id));
    for (const resolve of batch.get(id) ?? []) resolve(person);
  }
}

function unknown(id: string): Person {
  return { id, display_name: null, role: null };
}
