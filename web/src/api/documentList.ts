/** The list of a room's documents, kept up to date by events. */
import type { Documents, StateChanged } from "./schema";

const MAX_NOTED = 200;

let noted: { readonly at: number; readonly event: StateChanged }[] = [];

/** Remembers an event, for lists that are being read. */
export function noteDocument(event: StateChanged): void {
  noted = [...noted.slice(1 - MAX_NOTED), { at: performance.now(), event }];
}

/** A list that was asked for at some time, and may be older than the events since then. */
export function withNoted(list: Documents, room: string, since: number): Documents {
  const missed = noted.filter(({ at, event }) => at >= since && event.room === room);
  return missed.reduce((before, { event }) => withDocument(before, event), list);
}

/** The list after an event, if that is newer. The size is about right until the list is read again. */
export function withDocument({ items }: Documents, event: StateChanged): Documents {
  const { room: _, value, deleted, ...about } = event;
  const place = items.findIndex(({ key }) => key === event.key);
  const before = items[place];
  if (before && before.version >= event.version) return { items };
  if (deleted) return { items: items.filter((each) => each !== before) };
  const size = JSON.stringify(value ?? null).length;
  const changed = { ...about, size, changed_at: new Date().toISOString() };
  return { items: before ? items.with(place, changed) : [...items, changed] };
}
