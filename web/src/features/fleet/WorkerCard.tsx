import { Badge, Group, Paper, Progress, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { Worker } from "@/api/schema";
import { WORKER_COLOURS } from "@/components/state";
import { Since } from "@/components/Ticking";
import { titleOf } from "@/components/tools";
import { CurrentJobs } from "./CurrentJobs";
import { machineText } from "./machine";
import { WorkerActions } from "./WorkerActions";

export function WorkerCard({ worker, room }: { worker: Worker; room: string | null }) {
  const { data: me } = useQuery(queries.me());
  const mayRun = me?.role === "admin" || me?.user === worker.user;
  return (
    <Paper withBorder p="md" component="article" aria-label={worker.name} h="100%">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <div style={{ minWidth: 0 }}>
            <Text fw={550} truncate>
              {worker.name}
            </Text>
            <Text size="sm" c="dimmed">
              by {worker.user}, {worker.runner}
            </Text>
          </div>
          <Group gap={4} wrap="nowrap" style={{ flexShrink: 0 }}>
            {worker.draining && (
              <Badge color="orange" variant="light" title="It finishes what it has and gets nothing new">
                draining
              </Badge>
            )}
            <Badge color={WORKER_COLOURS[worker.state]} variant="light">
              {worker.state}
            </Badge>
            {mayRun && <WorkerActions worker={worker} />}
          </Group>
        </Group>
        <Slots worker={worker} />
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {machineText(worker.machine)}
        </Text>
        <Tools worker={worker} />
        <CurrentJobs worker={worker} room={room} mayRun={mayRun} />
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
