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

export const WORDS: Record<JobState, string> = {
  pending: "waiting",
  assigned: "assigned",
  running: "running",
  completed: "finished",
  failed: "failed",
  cancelled: "cancelled",
};

export const WORKER_COLOURS: Record<WorkerState, string> = {
  idle: "green",
  assigned: "yellow",
  running: "blue",
  offline: "gray",
};

export function isOver(job: Pick<Job, "status">): boolean {
  return job.status === "completed" || job.status === "failed" || job.status === "cancelled";
}
