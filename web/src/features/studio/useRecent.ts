import { useInfiniteQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";

const RECENT = 20;
const NONE: Job[] = [];

/** Orders that were completed lately, from which the time of the next ones is estimated. */
export function useRecent(room: string): Job[] {
  const filter = { extension: "media/Generate", status: "completed" } as const;
  return useInfiniteQuery(queries.jobs(room, filter, RECENT)).data?.pages[0]?.items ?? NONE;
}
