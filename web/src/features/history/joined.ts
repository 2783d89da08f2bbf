import type { Job, JobState } from "@/api/schema";

export interface Joined {
  rows: Job[];
  /** Jobs are missing between the newest and the past: so many came in between. */
  hasGap: boolean;
}

/** The newest page, which is always fresh, over the pages of the past. */
export function joined(newest: Job[], past: Job[], status?: JobState): Joined {
  const fresh = new Set(newest.map((job) => job.id));
  const known = past.filter((job) => !fresh.has(job.id));
  const hasGap = newest.length > 0 && past.length > 0 && known.length === past.length;
  const older = known.filter((job) => status === undefined || job.status === status);
  return { rows: [...newest, ...older], hasGap };
}
