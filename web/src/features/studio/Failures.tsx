import { Anchor, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { Collapsible } from "@/components/Collapsible";
import { useIsViewer } from "@/components/ViewOnly";
import { type Generation, media } from "./content";
import { type Draft, draftOf, fetchingOf } from "./draft";
import { useOrder } from "./useOrder";

const SHOWN = 10;

interface Props {
  room: string;
  onEdit: (draft: Draft) => void;
}

/** Orders that failed, with the reason. */
export function Failures({ room, onEdit }: Props) {
  const { data = [] } = useQuery(media.generations(room));
  const isViewer = useIsViewer(room);
  const { order, isPending } = useOrder(room);
  const failed = data.filter(({ state }) => state === "failed").slice(0, SHOWN);
  if (failed.length === 0) return null;
  return (
    <Collapsible title={`Failed (${failed.length})`}>
      <Stack gap="xs">
        {failed.map((each) => (
          <Failure
            key={each.id}
            generation={each}
            onEdit={isViewer ? undefined : onEdit}
            onFetch={isViewer || isPending ? undefined : () => order([fetchingOf(each, room)])}
          />
        ))}
      </Stack>
    </Collapsible>
  );
}

interface FailureProps {
  generation: Generation;
  onEdit?: (draft: Draft) => void;
  onFetch?: () => void;
}

function Failure({ generation, onEdit, onFetch }: FailureProps) {
  const { request, error, job_id, provider_task_id } = generation;
  return (
    <Paper withBorder p="xs">
      <Group wrap="nowrap" justify="space-between">
        <div style={{ minWidth: 0 }}>
          <Anchor component={Link} href={`/jobs/${job_id}`} size="sm" c="inherit" lineClamp={1}>
            {request.prompt || "No prompt"}
          </Anchor>
          <Text size="xs" c="red" lineClamp={3}>
            {request.provider}: {error?.message}
          </Text>
        </div>
        <Group gap="xs" flex="none">
          {onFetch && provider_task_id && (
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
            <Button size="xs" variant="default" onClick={() => onEdit(draftOf(request))}>
              Edit
            </Button>
          )}
        </Group>
      </Group>
    </Paper>
  );
}
