import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { type JobFilter, queries } from "@/api/queries";
import { mergeJobs } from "./mergeJobs";

/** The newest jobs are kept up to date; older ones are loaded on request. */
export function useHistory(room: string, filter: JobFilter) {
  const [wantsPast, setWantsPast] = useState(false);
  const newest = useInfiniteQuery(queries.jobs(room, filter, 100));
  const past = useInfiniteQuery({ ...queries.pastJobs(room, filter), enabled: wantsPast });
  const { rows, hasGap } = useMemo(
    () =>
      mergeJobs(
        newest.data?.pages[0]?.items ?? [],
        past.data?.pages.flatMap((page) => page.items) ?? [],
        filter.status,
      ),
    [newest.data, past.data, filter.status],
  );
  const { refetch, isFetching } = past;
  useEffect(() => {
    if (hasGap && !isFetching) void refetch();
  }, [hasGap, isFetching, refetch]);
  const hasMore = past.data ? past.hasNextPage : newest.hasNextPage;
  const more = () => (past.data ? void past.fetchNextPage() : setWantsPast(true));
  return { newest, rows, hasMore, more, isLoading: isFetching, pastError: past.error };
}
