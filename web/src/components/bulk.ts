import type { Action, Job, JobEntries } from "@/api/schema";
import { pluralize } from "@/components/format";

export const MAX_SELECTED = 200;

const DONE: Record<Action, string> = {
  cancel: "cancelled",
  arrange: "arranged",
  retry: "submitted again",
  star: "starred",
  unstar: "without a star",
  tag: "tagged",
  untag: "without the tag",
};

/** How many jobs it was done to, and why not to the others, by reason. */
export function outcomeOf(action: Action, entries: JobEntries["items"]): string {
  const refused = entries.flatMap((entry) => ("error" in entry ? [entry.error] : []));
  const done = `${pluralize(entries.length - refused.length, "job")} ${DONE[action]}.`;
  const reasons = Map.groupBy(refused, (error) => error.detail || error.title);
  const refusals = [...reasons].map(([reason, errors]) => `${errors.length} refused: ${reason}.`);
  return [done, ...refusals].join(" ");
}

export function areStarred(ids: string[], jobs: Pick<Job, "id" | "annotation">[]): boolean {
  const starred = new Set(jobs.filter(({ annotation }) => annotation?.starred).map(({ id }) => id));
  return ids.every((id) => starred.has(id));
}
