/** Positions of atoms that running jobs show, as they arrive. They are in no query: nothing stores them. */
import type { PositionsShown } from "./schema";

export interface JobPositions {
  jobId: string;
  frame: number;
  /** x, y and z of each atom. */
  positions: Float32Array;
}

type Listener = (shown: JobPositions) => void;

const listeners = new Map<string, Set<Listener>>();

/** Calls the listener until the returned function is called. Drop what a job showed once it has ended. */
export function onJobPositions(room: string, listener: Listener): () => void {
  const own = listeners.get(room) ?? new Set();
  listeners.set(room, own.add(listener));
  return () => own.delete(listener);
}

export function publishJobPositions({ room, job_id, frame, positions }: PositionsShown): void {
  const own = listeners.get(room);
  if (!own?.size) return;
  const shown = { jobId: job_id, frame, positions: decoded(positions) };
  for (const listener of own) listener(shown);
}

function decoded(base64: string): Float32Array {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}
