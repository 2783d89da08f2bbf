import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { type JobFilter, queries } from "@/api/queries";
import { mergeJobs } from "./mergeJobs";

const ENOUGH_ROWS = 20;
const PAGES_AT_ONCE = 10;

/** The newest jobs are kept up to date; older ones are loaded on request. */
export function useHistory(room: string, filter: JobFilter) {
  const [wantsPast, setWantsPast] = useState(false);
  const [pagesWanted, setPagesWanted] = useState(PAGES_AT_ONCE);
  const newest = useInfiniteQuery({ ...queries.jobs(room, filter, 100), retry: !filter.q });
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
  const pages = past.data?.pages ?? newest.data?.pages ?? [];
  const more = () => {
    if (pages.length >= pagesWanted) setPagesWanted(pages.length + PAGES_AT_ONCE);
    if (past.data) void past.fetchNextPage();
    else setWantsPast(true);
  };
  // A page of a search may have few rows or none, and scrolling would not load the next one.
  const isWaiting = hasMore && !isFetching && !past.error && rows.length < ENOUGH_ROWS;
  const mayGoOn = Boolean(filter.q) && isWaiting && pages.length < pagesWanted;
  const examined = pages.reduce((sum, page) => sum + (page.examined ?? 0), 0);
  return { newest, rows, hasMore, more, isLoading: isFetching, pastError: past.error, mayGoOn, examined };
}
