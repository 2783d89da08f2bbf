import { Badge, Group, Paper, Progress, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { Worker } from "@/api/schema";
import { PersonName } from "@/components/PersonName";
import { Since } from "@/components/RelativeTime";
import { WORKER_COLOURS } from "@/components/state";
import { titleOf } from "@/components/tools";
import { Consent } from "./Consent";
import { CurrentJobs } from "./CurrentJobs";
import { describeMachine } from "./machine";
import { WorkerActions } from "./WorkerActions";

export function WorkerCard({ worker, room }: { worker: Worker; room: string | null }) {
  const { data: me } = useQuery(queries.me());
  const { data: roomDocument } = useQuery({ ...queries.room(room ?? ""), enabled: room !== null });
  const mayManage = me?.role === "admin" || me?.user === worker.user;
  const serves = worker.extensions.some((extension) => extension.room === room);
  const mayDismiss = roomDocument !== undefined && roomDocument.owner === me?.user && serves;
  return (
    <Paper withBorder p="md" component="article" aria-label={worker.name} h="100%">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <div style={{ minWidth: 0 }}>
            <Text fw={550} truncate>
              {worker.name}
            </Text>
            <Text size="sm" c="dimmed">
              by <PersonName id={worker.user} /> · {worker.runner}
            </Text>
          </div>
          <Group gap={4} wrap="nowrap" style={{ flexShrink: 0 }}>
            {worker.draining && (
              <Badge color="orange" variant="light" title="Finishes its jobs and gets no new ones">
                draining
              </Badge>
            )}
            <Badge color={WORKER_COLOURS[worker.state]} variant="light">
              {worker.state}
            </Badge>
            {(mayManage || mayDismiss) && (
              <WorkerActions worker={worker} mayManage={mayManage} room={mayManage ? null : room} />
            )}
          </Group>
        </Group>
        <Slots worker={worker} />
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {describeMachine(worker.machine)}
        </Text>
        <Tools worker={worker} />
        <Consent worker={worker} room={roomDocument} me={me} />
        <CurrentJobs worker={worker} room={room} mayManage={mayManage} />
      </Stack>
    </Paper>
  );
}

function Slots({ worker }: { worker: Worker }) {
  const used = worker.assigned_jobs + worker.running_jobs;
  const text = `${used} of ${worker.slots} ${worker.slots === 1 ? "slot" : "slots"} used`;
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm">{text}</Text>
        <Text size="sm" c="dimmed">
          {worker.state} for <Since at={worker.since} />
        </Text>
      </Group>
      <Progress
        value={(100 * used) / worker.slots}
        color={WORKER_COLOURS[worker.state]}
        size="sm"
        aria-label={text}
      />
    </div>
  );
}

function Tools({ worker }: { worker: Worker }) {
  return (
    <Group gap={4} aria-label="Tools" role="group">
      {worker.extensions.map(({ room, category, name }) => (
        <Badge
          key={`${room}/${category}/${name}`}
          variant="default"
          tt="none"
          fw={500}
          title={`${category}/${name}`}
        >
          {titleOf(name)}
        </Badge>
      ))}
    </Group>
  );
}
