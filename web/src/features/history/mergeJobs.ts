import type { Job, JobState } from "@/api/schema";

export interface MergedJobs {
  rows: Job[];
  /** Jobs are missing between the newest page and the older ones. */
  hasGap: boolean;
}

/** Puts the newest page, which is always up to date, before the older pages. */
export function mergeJobs(newest: Job[], past: Job[], status?: JobState): MergedJobs {
  const fresh = new Set(newest.map((job) => job.id));
  const known = past.filter((job) => !fresh.has(job.id));
  const hasGap = newest.length > 0 && past.length > 0 && known.length === past.length;
  const older = known.filter((job) => status === undefined || job.status === status);
  return { rows: [...newest, ...older], hasGap };
}
