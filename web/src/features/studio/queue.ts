/** My orders of a room are a group, so that they can be paused together. */
import type { Group, Job } from "@/api/schema";

export const QUEUE_TITLE = "Studio queue";

/** The groups that take my orders, the newest first: there may be two if two tabs ordered at once. */
export function queuesOf(groups: Group[], user: string | undefined): Group[] {
  return groups.filter(
    (each) => each.user === user && each.title === QUEUE_TITLE && each.open && !each.cancelled,
  );
}

/** Running jobs first, then those that wait, in the order in which they start. */
export function inOrder<T extends Pick<Job, "status" | "queue_position" | "created_at">>(jobs: T[]): T[] {
  return [...jobs].sort(
    (one, other) => placeOf(one) - placeOf(other) || one.created_at.localeCompare(other.created_at),
  );
}

function placeOf({ status, queue_position }: Pick<Job, "status" | "queue_position">): number {
  return status === "pending" ? 1 + (queue_position ?? Number.MAX_SAFE_INTEGER) : 0;
}

/** The ids after one of them was moved by one place. */
export function moved(ids: string[], id: string, by: -1 | 1): string[] {
  const from = ids.indexOf(id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= ids.length) return ids;
  return ids.with(from, ids[to] as string).with(to, id);
}
