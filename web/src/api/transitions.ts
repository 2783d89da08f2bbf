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

/** Applies transitions to cached jobs. Pages without any of these jobs stay the same objects. */
export function applyTransitions(cached: Pages, transitions: Transition[]): Pages {
  const byJob = Map.groupBy(transitions, (transition) => transition.job_id);
  const pages = cached.pages.map((page) => {
    if (!page.items.some((job) => byJob.has(job.id))) return page;
    return {
      ...page,
      items: page.items.map((job) => (byJob.get(job.id) ?? []).reduce(applyTransition, job)),
    };
  });
  return { ...cached, pages };
}

export function applyTransition(job: Job, transition: Transition): Job {
  if (transition.version <= job.version) return job;
  const { version, status, attempt, worker, at } = transition;
  const reset = status === "pending" ? { assigned_at: null, started_at: null } : {};
  const time = TIMES[status];
  return { ...job, version, status, attempt, worker, ...reset, ...(time && { [time]: at }) };
}
