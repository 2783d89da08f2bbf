import { Anchor, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { Collapsible } from "@/components/Collapsible";
import { useIsViewer } from "@/components/ViewOnly";
import { type Draft, draftOf, fetchingOf, orderOf } from "./draft";
import { useOrder } from "./useOrder";

const SHOWN = 10;
const FAILED = { extension: "media/Generate", status: "failed" } as const;

interface Props {
  room: string;
  onEdit: (draft: Draft) => void;
}

/** Orders that failed, with the reason: also those whose worker was lost before it could record anything. */
export function Failures({ room, onEdit }: Props) {
  const { data } = useInfiniteQuery(queries.jobs(room, FAILED, SHOWN));
  const isViewer = useIsViewer(room);
  const { order, isPending } = useOrder(room);
  const failed = data?.pages[0]?.items ?? [];
  if (failed.length === 0) return null;
  return (
    <Collapsible title={`Failed (${failed.length})`}>
      <Stack gap="xs">
        {failed.map((job) => {
          const fetching = fetchingOf(job);
          const mayFetch = !isViewer && !isPending && fetching !== null;
          return (
            <Failure
              key={job.id}
              job={job}
              onEdit={isViewer ? undefined : onEdit}
              onFetch={mayFetch ? () => order([fetching]) : undefined}
            />
          );
        })}
      </Stack>
    </Collapsible>
  );
}

interface FailureProps {
  job: Job;
  onEdit?: (draft: Draft) => void;
  onFetch?: () => void;
}

function Failure({ job, onEdit, onFetch }: FailureProps) {
  const { provider, prompt } = orderOf(job);
  return (
    <Paper withBorder p="xs">
      <Group wrap="nowrap" justify="space-between">
        <div style={{ minWidth: 0 }}>
          <Anchor component={Link} href={`/jobs/${job.id}`} size="sm" c="inherit" lineClamp={1}>
            {prompt || "No prompt"}
          </Anchor>
          <Text size="xs" c="red" lineClamp={3}>
            {provider}: {job.error?.message}
          </Text>
        </div>
        <Group gap="xs" flex="none">
          {onFetch && (
            <Button
              size="xs"
              variant="default"
              title="The provider has accepted this order: fetch its results, and order nothing"
              onClick={onFetch}
            >
              Fetch results
            </Button>
          )}
          {onEdit && (
            <Button size="xs" variant="default" onClick={() => onEdit(draftOf(orderOf(job)))}>
              Edit
            </Button>
          )}
        </Group>
      </Group>
    </Paper>
  );
}
