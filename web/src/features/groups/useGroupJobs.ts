import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { queries } from "@/api/queries";
import type { Group } from "@/api/schema";
import { withoutRetried } from "./columns";

export const MAX_CELLS = 2000;

/** All jobs of a group in the order of submission; of a large one, the newest. */
export function useGroupJobs({ id, room, total }: Group) {
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(
    queries.groupJobs(room, id),
  );
  const isLarge = total > MAX_CELLS;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isLarge && !error) void fetchNextPage();
  }, [hasNextPage, isFetching, isLarge, error, fetchNextPage]);
  const jobs = useMemo(() => {
    const listed = data?.pages.flatMap((page) => page.items) ?? [];
    const current = withoutRetried(listed);
    return isLarge ? current : current.reverse();
  }, [data, isLarge]);
  return { jobs, error, refetch };
}
