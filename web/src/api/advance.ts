import type { Job, Transition } from "./schema";
import { applyTransition } from "./transitions";

/** Applies the steps of listed jobs. Those that have ended leave, except for the latest `kept`. */
export function advance(jobs: Job[], transitions: Transition[], kept = 0): Job[] {
  const steps = Map.groupBy(transitions, ({ job_id }) => job_id);
  if (!jobs.some(({ id }) => steps.has(id))) return jobs;
  const left = jobs.filter(({ id, status }) => status === "pending" && steps.has(id));
  const moved = jobs.map((job) => (steps.get(job.id) ?? []).reduce(applyTransition, job));
  const ended = moved.filter(({ completed_at }) => completed_at !== null).slice(0, kept);
  return moved
    .filter((job) => job.completed_at === null || ended.includes(job))
    .map((job) => (job.status === "pending" ? movedUp(job, left) : { ...job, queue_position: null }));
}

/** Whoever was ahead in the queue and left it, is no longer ahead. */
function movedUp(job: Job, left: Job[]): Job {
  const position = job.queue_position;
  if (position === null) return job;
  const ahead = left.filter((each) => each.id !== job.id && (each.queue_position ?? position) < position);
  return ahead.length ? { ...job, queue_position: Math.max(0, position - ahead.length) } : job;
}
