import { Button, Center, Loader, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { hasCode } from "@/api/problem";
import { type JobFilter, queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { EmptyState } from "@/components/EmptyState";
import { ErrorMessage } from "@/components/ErrorMessage";
import { pluralize } from "@/components/format";
import { JobRows } from "./JobRows";
import { SelectionBar } from "./SelectionBar";
import { useHistory } from "./useHistory";
import type { Selection } from "./useSelection";

interface Props {
  room: string;
  filter: JobFilter;
  selection: Selection;
}

export function JobList({ room, filter, selection }: Props) {
  const { newest, rows, hasMore, more, isLoading, pastError, mayGoOn, examined } = useHistory(room, filter);
  const schemaOf = useSchemas(room);
  const loadMore = useLatest(() => {
    if (hasMore && !isLoading && !pastError) more();
  });
  useEffect(() => {
    if (mayGoOn) loadMore();
  }, [mayGoOn, loadMore]);
  if (newest.isPending) return <Placeholder />;
  if (newest.isError)
    return hasCode(newest.error, "invalid_request") && filter.q ? null : (
      <ErrorMessage error={newest.error} retry={newest.refetch} />
    );
  return (
    <>
      {rows.length > 0 && <JobRows rows={rows} schemaOf={schemaOf} selection={selection} onEnd={loadMore} />}
      {rows.length === 0 && !hasMore && <Nothing isFiltered={Object.keys(filter).length > 0} />}
      {hasMore && !pastError && (
        <Center mih={48}>
          {filter.q && !mayGoOn && !isLoading ? (
            <GoOn examined={examined} found={rows.length} more={more} />
          ) : (
            <Loader role="status" size="sm" type="dots" aria-label="Loading older jobs" />
          )}
        </Center>
      )}
      {pastError && <ErrorMessage error={pastError} retry={more} />}
      {selection.ids.length > 0 && <SelectionBar room={room} selection={selection} jobs={rows} />}
    </>
  );
}

/** A search looks at a part of a long history at a time, and asks before it goes on for long. */
function GoOn({ examined, found, more }: { examined: number; found: number; more: () => void }) {
  return (
    <Stack gap="xs" align="center" py="sm">
      <Text size="sm" c="dimmed">
        {pluralize(found, "match", "matches")} among the newest {pluralize(examined, "job")}.
      </Text>
      <Button variant="default" onClick={more}>
        Search older jobs
      </Button>
    </Stack>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState title="No matching jobs">Try a different search or filter.</EmptyState>
  ) : (
    <EmptyState title="No jobs yet">Run a tool to see its jobs here.</EmptyState>
  );
}

function Placeholder() {
  return (
    <Stack gap={8} aria-label="Loading" role="status">
      {[1, 2, 3, 4, 5, 6].map((each) => (
        <Skeleton key={each} h={52} />
      ))}
    </Stack>
  );
}

/** The schema of a job's tool, if it is still in the room. */
function useSchemas(room: string): (job: Job) => Record<string, unknown> | undefined {
  const { data } = useQuery(queries.extensions(room));
  return useMemo(() => {
    const schemas = new Map(data?.map((tool) => [keyOf(tool), tool.schema]));
    return (job: Job) => schemas.get(keyOf(job));
  }, [data]);
}

function keyOf({ scope, category, name }: Pick<Job, "scope" | "category" | "name">): string {
  return `${scope}/${category}/${name}`;
}

/** A stable function that always calls the latest version of `callback`. */
function useLatest(callback: () => void): () => void {
  const latest = useRef(callback);
  latest.current = callback;
  return useCallback(() => latest.current(), []);
}
