import { type InfiniteData, useMutation, useQueryClient } from "@tanstack/react-query";
import { applyAnnotations } from "@/api/annotations";
import { api, dataOf } from "@/api/client";
import { queries } from "@/api/queries";
import type { AnnotationBody, Job, JobPage } from "@/api/schema";
import { notifyError } from "@/components/notify";

/** Changes what people wrote about a job; the page shows it before the event arrives. */
export function useAnnotate(job: Pick<Job, "id" | "room">) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: AnnotationBody) =>
      dataOf(api.PATCH("/api/jobs/{job_id}", { params: { path: { job_id: job.id } }, body: change })),
    onSuccess: ({ annotation }) => {
      const items = [{ job_id: job.id, room: job.room, annotation }];
      client.setQueryData<Job>(queries.job(job.id).queryKey, (known) => known && { ...known, annotation });
      for (const key of ["jobs", "past", "search"])
        client.setQueriesData<InfiniteData<JobPage>>({ queryKey: [key] }, (pages) =>
          pages && "pages" in pages ? applyAnnotations(pages, items) : pages,
        );
    },
    onError: notifyError,
  });
}
