/** Changes of frames, as they are announced. Queries hold what is; a view also needs to know what changed. */
import type { FramesChanged } from "./schema";

type Listener = (change: FramesChanged) => void;

const listeners = new Map<string, Set<Listener>>();

export function onFramesChanged(room: string, listener: Listener): () => void {
  const own = listeners.get(room) ?? new Set();
  listeners.set(room, own.add(listener));
  return () => own.delete(listener);
}

export function publishFramesChanged(change: FramesChanged): void {
  for (const listener of listeners.get(change.room) ?? []) listener(change);
}
