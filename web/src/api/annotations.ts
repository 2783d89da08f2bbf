import type { InfiniteData } from "@tanstack/react-query";
import type { JobAnnotated, JobPage } from "./schema";

type Pages = InfiniteData<JobPage, unknown>;

/** Applies what people wrote to cached jobs. Pages without any of these jobs stay the same objects. */
export function applyAnnotations(cached: Pages, items: JobAnnotated[]): Pages {
  const byJob = new Map(items.map(({ job_id, annotation }) => [job_id, annotation]));
  const pages = cached.pages.map((page) => {
    if (!page.items.some((job) => byJob.has(job.id))) return page;
    return {
      ...page,
      items: page.items.map((job) => {
        const annotation = byJob.get(job.id);
        return annotation === undefined ? job : { ...job, annotation };
      }),
    };
  });
  return { ...cached, pages };
}
