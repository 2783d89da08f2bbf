import type { Job } from "@/api/schema";
import { formatDuration } from "@/components/format";

const MIN_SHOWN_MS = 1000;

export function Eta({ job }: { job: Job }) {
  return job.eta_ms === null || job.eta_ms < MIN_SHOWN_MS ? null : (
    <>Starts in about {formatDuration(job.eta_ms)}.</>
  );
}
