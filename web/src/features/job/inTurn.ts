import type { Job } from "@/api/schema";

type Queued = Pick<Job, "status" | "created_at" | "queue_position">;
const TURNS = ["running", "assigned", "pending"];

/** Running jobs first, the oldest on top; then the queue in its order. */
export function inTurn<T extends Queued>(jobs: T[]): T[] {
  const place = ({ queue_position }: Queued) => queue_position ?? Number.POSITIVE_INFINITY;
  return jobs.toSorted(
    (a, b) =>
      TURNS.indexOf(a.status) - TURNS.indexOf(b.status) ||
      (place(a) === place(b) ? 0 : place(a) - place(b)) ||
      Date.parse(a.created_at) - Date.parse(b.created_at),
  );
}
