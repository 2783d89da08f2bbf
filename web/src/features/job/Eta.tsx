import type { Job } from "@/api/schema";
import { duration } from "@/components/words";

export function Eta({ job }: { job: Job }) {
  return job.eta_ms === null ? null : <>Begins in about {duration(job.eta_ms)}.</>;
}
