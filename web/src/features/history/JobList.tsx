import { Center, Loader, Skeleton, Stack } from "@mantine/core";
import { useCallback, useRef } from "react";
import type { JobFilter } from "@/api/queries";
import { EmptyState } from "@/components/EmptyState";
import { ErrorMessage } from "@/components/ErrorMessage";
import { JobRows } from "./JobRows";
import { useHistory } from "./useHistory";

interface Props {
  room: string;
  filter: JobFilter;
  picked: string[];
  pick: (id: string) => void;
}

export function JobList({ room, filter, picked, pick }: Props) {
  const { newest, rows, hasMore, more, isLoading, pastError } = useHistory(room, filter);
  const loadMore = useLatest(() => {
    if (hasMore && !isLoading && !pastError) more();
  });
  if (newest.isPending) return <Placeholder />;
  if (newest.isError) return <ErrorMessage error={newest.error} retry={newest.refetch} />;
  if (rows.length === 0)
    return Object.keys(filter).length > 0 ? (
      <EmptyState title="No matching jobs">Try a different filter.</EmptyState>
    ) : (
      <EmptyState title="No jobs yet">Run a tool to see its jobs here.</EmptyState>
    );
  return (
    <>
      <JobRows rows={rows} picked={picked} pick={pick} onEnd={loadMore} />
      <Center h={48}>
        {hasMore && !pastError && (
          <Loader role="status" size="sm" type="dots" aria-label="Loading older jobs" />
        )}
      </Center>
      {pastError && <ErrorMessage error={pastError} retry={more} />}
    </>
  );
}

function Placeholder() {
  return (
    <Stack gap={8} aria-label="Loading" role="status">
      {[1, 2, 3, 4, 5, 6].map((each) => (
        <Skeleton key={each} h={44} />
      ))}
    </Stack>
  );
}

/** A stable function that always calls the latest version of `callback`. */
function useLatest(callback: () => void): () => void {
  const latest = useRef(callback);
  latest.current = callback;
  return useCallback(() => latest.current(), []);
}
