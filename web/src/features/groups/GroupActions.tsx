import { Button, Group as Row, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop, IconRefresh } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import { queries } from "@/api/queries";
import type { Group } from "@/api/schema";
import { Confirm } from "@/components/Confirm";
import { pluralize } from "@/components/format";
import { notify, notifyError } from "@/components/notify";
import { useIsViewer } from "@/components/ViewOnly";
import { isGroupOver } from "./state";

const SIZE = { size: "xs", variant: "default" } as const;

/** For its submitter, the owner of the room and admins. A viewer retries nothing. */
export function GroupActions({ group }: { group: Group }) {
  const { data: me } = useQuery(queries.me());
  const { data: room } = useQuery(queries.room(group.room));
  const isViewer = useIsViewer(group.room);
  if (!me || (me.role !== "admin" && me.user !== group.user && me.user !== room?.owner)) return null;
  return (
    <Row gap="xs">
      {!isViewer && group.counts.failed > 0 && !group.cancelled && <RetryFailed group={group} />}
      {!isGroupOver(group) && !group.cancelled && (
        <>
          <Pause group={group} />
          <Cancel group={group} />
        </>
      )}
    </Row>
  );
}

function useKeep() {
  const client = useQueryClient();
  return (group: Group) => client.setQueryData(queries.group(group.room, group.id).queryKey, group);
}

function Pause({ group }: { group: Group }) {
  const keep = useKeep();
  const params = { path: { group: group.id } };
  const pausing = useMutation({
    mutationFn: () =>
      dataOf(
        group.paused
          ? api.POST("/api/groups/{group}/resume", { params })
          : api.POST("/api/groups/{group}/pause", { params }),
      ),
    onSuccess: keep,
    onError: notifyError,
  });
  const Icon = group.paused ? IconPlayerPlay : IconPlayerPause;
  return (
    <Button
      {...SIZE}
      leftSection={<Icon size={14} />}
      loading={pausing.isPending}
      onClick={() => pausing.mutate()}
    >
      {group.paused ? "Resume" : "Pause"}
    </Button>
  );
}

function Cancel({ group }: { group: Group }) {
  const keep = useKeep();
  const [isOpen, { open, close }] = useDisclosure();
  const cancelling = useMutation({
    mutationFn: () =>
      dataOf(api.POST("/api/groups/{group}/cancel", { params: { path: { group: group.id } } })),
    onSuccess: (cancelled) => {
      keep(cancelled);
      close();
    },
  });
  const { pending, assigned, running } = group.counts;
  return (
    <>
      <Button {...SIZE} leftSection={<IconPlayerStop size={14} />} onClick={open}>
        Cancel
      </Button>
      <Confirm
        title="Cancel the group"
        action="Cancel all"
        color="red"
        isOpen={isOpen}
        isBusy={cancelling.isPending}
        error={cancelling.error}
        close={close}
        confirm={() => cancelling.mutate()}
      >
        <Text size="sm">
          This cancels {pluralize(pending + assigned + running, "job")}. Results so far are kept.
        </Text>
      </Confirm>
    </>
  );
}

function RetryFailed({ group }: { group: Group }) {
  const keep = useKeep();
  const retrying = useMutation({
    mutationFn: () => retryAll(group.id),
    onSuccess: ({ group: retried, count }) => {
      keep(retried);
      notify(`${pluralize(count, "job")} submitted again.`);
    },
    onError: notifyError,
  });
  return (
    <Button
      {...SIZE}
      leftSection={<IconRefresh size={14} />}
      loading={retrying.isPending}
      onClick={() => retrying.mutate()}
    >
      Retry failed
    </Button>
  );
}

/** The server retries some hundred jobs at a time. */
async function retryAll(id: string): Promise<{ group: Group; count: number }> {
  let count = 0;
  for (;;) {
    const reply = await dataOf(api.POST("/api/groups/{group}/retry", { params: { path: { group: id } } }));
    count += reply.retried;
    if (!reply.more || reply.retried === 0) return { group: reply.group, count };
  }
}
