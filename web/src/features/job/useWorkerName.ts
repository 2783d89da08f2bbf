import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";

/** `null` if the worker is no longer listed. */
export function useWorkerName(job: Job): string | null {
  const { data } = useQuery({ ...queries.workers(job.room), enabled: job.worker !== null });
  return data?.find((worker) => worker.id === job.worker)?.name ?? null;
}
