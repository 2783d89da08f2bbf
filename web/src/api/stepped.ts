import type { InfiniteData } from "@tanstack/react-query";
import type { Job, JobPage, JobState, Transition } from "./schema";

type Pages = InfiniteData<JobPage, unknown>;
const TIMES: Partial<Record<JobState, "assigned_at" | "started_at" | "completed_at">> = {
  assigned: "assigned_at",
  running: "started_at",
  completed: "completed_at",
  failed: "completed_at",
  cancelled: "completed_at",
};

/** Known jobs, moved on by the steps that were heard; a page that no step is about stays the same object. */
export function stepped(known: Pages, steps: Transition[]): Pages {
  const latest = new Map<string, Transition[]>();
  for (const step of steps) latest.set(step.job_id, [...(latest.get(step.job_id) ?? []), step]);
  const pages = known.pages.map((page) => {
    if (!page.items.some((job) => latest.has(job.id))) return page;
    return { ...page, items: page.items.map((job) => (latest.get(job.id) ?? []).reduce(moved, job)) };
  });
  return { ...known, pages };
}

function moved(job: Job, step: Transition): Job {
  if (step.version <= job.version) return job;
  const { version, status, attempt, worker, at } = step;
  const fresh = status === "pending" ? { assigned_at: null, started_at: null } : {};
  const time = TIMES[status];
  return { ...job, version, status, attempt, worker, ...fresh, ...(time && { [time]: at }) };
}
