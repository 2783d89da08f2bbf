import { Center, Loader, Skeleton, Stack } from "@mantine/core";
import { useCallback, useRef } from "react";
import type { JobFilter } from "@/api/queries";
import { Empty } from "@/components/Empty";
import { Trouble } from "@/components/Trouble";
import { JobRows } from "./JobRows";
import { useHistory } from "./useHistory";

interface Props {
  room: string;
  filter: JobFilter;
  picked: string[];
  pick: (id: string) => void;
}

export function JobList({ room, filter, picked, pick }: Props) {
  const { newest, rows, hasMore, more, isReading, pastError } = useHistory(room, filter);
  const reach = useLatest(() => {
    if (hasMore && !isReading && !pastError) more();
  });
  if (newest.isPending) return <Waiting />;
  if (newest.isError) return <Trouble error={newest.error} retry={newest.refetch} />;
  if (rows.length === 0)
    return Object.keys(filter).length > 0 ? (
      <Empty title="No job is like that">Another filter may show some.</Empty>
    ) : (
      <Empty title="Nothing was run here yet">Pick a tool and run it: its jobs stay on record here.</Empty>
    );
  return (
    <>
      <JobRows rows={rows} picked={picked} pick={pick} onEnd={reach} />
      <Center h={48}>
        {hasMore && !pastError && <Loader size="sm" type="dots" aria-label="Reading older jobs" />}
      </Center>
      {pastError && <Trouble error={pastError} retry={more} />}
    </>
  );
}

function Waiting() {
  return (
    <Stack gap={8} aria-label="Loading" role="status">
      {[1, 2, 3, 4, 5, 6].map((each) => (
        <Skeleton key={each} h={44} />
      ))}
    </Stack>
  );
}

/** One function that always does what was said last. */
function useLatest(act: () => void): () => void {
  const latest = useRef(act);
  latest.current = act;
  return useCallback(() => latest.current(), []);
}
