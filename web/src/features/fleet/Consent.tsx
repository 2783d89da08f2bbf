import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import type { ConsentRequest, Principal, Room, Worker } from "@/api/schema";
import { notifyError } from "@/components/notify";
import { titleOf } from "@/components/tools";

interface Props {
  worker: Worker;
  room?: Room;
  me?: Principal | null;
}

/** Extensions that the worker may run once someone accepts them. */
export function Consent({ worker, room, me }: Props) {
  if (worker.awaiting_consent.length === 0) return null;
  return (
    <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: "none" }} aria-label="Awaits consent">
      {worker.awaiting_consent.map((request) => (
        <li key={`${request.room}/${request.category}/${request.name}`}>
          <Request worker={worker} request={request} mayDecide={mayDecide(request, worker, room, me)} />
        </li>
      ))}
    </Stack>
  );
}

function mayDecide(request: ConsentRequest, worker: Worker, room?: Room, me?: Principal | null): boolean {
  if (!me) return false;
  const isOwner = request.owner === me.user && worker.user !== me.user;
  return me.role === "admin" || isOwner || (request.room !== null && room?.owner === me.user);
}

function Request({
  worker,
  request,
  mayDecide,
}: {
  worker: Worker;
  request: ConsentRequest;
  mayDecide: boolean;
}) {
  const accept = useDecision(worker, request, "accept");
  const refuse = useDecision(worker, request, "refuse");
  const isBusy = accept.isPending || refuse.isPending;
  return (
    <Paper withBorder p="xs" bg="var(--mantine-color-yellow-light)">
      <Group justify="space-between" gap="xs">
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          Needs approval from {whoDecides(request)} to run <b>{titleOf(request.name)}</b>.
        </Text>
        {mayDecide && (
          <Group gap="xs">
            <Button size="xs" disabled={isBusy} loading={accept.isPending} onClick={() => accept.mutate()}>
              Accept
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={isBusy}
              loading={refuse.isPending}
              onClick={() => refuse.mutate()}
            >
              Refuse
            </Button>
          </Group>
        )}
      </Group>
    </Paper>
  );
}

function whoDecides({ owner, room }: ConsentRequest): string {
  const others = room === null ? "an admin" : "the room's owner";
  return owner === null ? others : `${owner} or ${others}`;
}

function useDecision(worker: Worker, request: ConsentRequest, decision: "accept" | "refuse") {
  const client = useQueryClient();
  const params = { path: { worker_id: worker.id } };
  const body = { room: request.room, category: request.category, name: request.name };
  return useMutation({
    mutationFn: async () => {
      if (decision === "accept") await dataOf(api.POST("/api/workers/{worker_id}/accept", { params, body }));
      else
        await dataOf(
          api.POST("/api/workers/{worker_id}/refuse", {
            params,
            body: { ...body, reason: "refused on the web page" },
          }),
        );
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["workers"] }),
    onError: notifyError,
  });
}
