import { useQueries } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { Artifacts, artifactsBeside } from "@/components/results/Artifacts";
import { Cells } from "./SideBySide";

/** The files of each job that its result does not show. */
export function Files({ jobs, labels }: { jobs: Job[]; labels: string[] }) {
  const lists = useQueries({
    queries: jobs.map(({ id, attempt }) => ({ ...queries.artifacts(id), enabled: attempt > 0 })),
  });
  const hasFiles = (job: Job, index: number) =>
    artifactsBeside(lists[index]?.data ?? [], job.result).length > 0;
  if (!jobs.some(hasFiles)) return null;
  return (
    <Cells
      jobs={jobs}
      labels={labels}
      show={(job, index) => hasFiles(job, index) && <Artifacts jobId={job.id} result={job.result} />}
    />
  );
}
