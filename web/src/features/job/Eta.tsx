import type { Job } from "@/api/schema";
import { duration } from "@/components/words";

const WORTH_SAYING_MS = 1000;

export function Eta({ job }: { job: Job }) {
  return job.eta_ms === null || job.eta_ms < WORTH_SAYING_MS ? null : (
    <>Begins in about {duration(job.eta_ms)}.</>
  );
}
