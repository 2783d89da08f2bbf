import type { Job, JobState, WorkerState } from "@/api/schema";

/** One colour per state, everywhere. */
export const COLOURS: Record<JobState, string> = {
  pending: "gray",
  assigned: "yellow",
  running: "blue",
  completed: "green",
  failed: "red",
  cancelled: "gray",
};

export const STATES = Object.keys(COLOURS) as JobState[];

export const WORKER_COLOURS: Record<WorkerState, string> = {
  idle: "green",
  assigned: "yellow",
  running: "blue",
  offline: "gray",
};

export function isOver(job: Pick<Job, "status">): boolean {
  return job.status === "completed" || job.status === "failed" || job.status === "cancelled";
}
