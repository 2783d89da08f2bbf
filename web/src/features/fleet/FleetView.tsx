import { Container, Group, SimpleGrid, Skeleton, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { Job, Worker } from "@/api/schema";
import { EmptyState } from "@/components/EmptyState";
import { ErrorMessage } from "@/components/ErrorMessage";
import { AddWorker } from "./AddWorker";
import { QueueStats } from "./QueueStats";
import { sortWorkers } from "./sortWorkers";
import { WorkerCard } from "./WorkerCard";

export function FleetView({ room, jobs }: { room: string | null; jobs?: Job[] }) {
  const workers = useQuery(queries.workers(room));
  if (workers.isError) return <ErrorMessage error={workers.error} retry={workers.refetch} />;
  return (
    <Container size="xl" p={0} pt={room === null ? "lg" : 0}>
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={1} size="h2">
            {room === null ? "All workers" : "Workers"}
          </Title>
          <AddWorker room={room} />
        </Group>
        {jobs ? <QueueStats jobs={jobs} /> : <Skeleton h={131} />}
        {workers.data ? <Cards workers={workers.data} room={room} /> : <Skeleton h={200} />}
      </Stack>
    </Container>
  );
}

function Cards({ workers, room }: { workers: Worker[]; room: string | null }) {
  if (workers.length === 0)
    return (
      <EmptyState title="No worker is connected">
        Jobs wait until one connects. Add one from any machine.
      </EmptyState>
    );
  return (
    <SimpleGrid
      component="ul"
      cols={{ base: 1, md: 2 }}
      spacing="sm"
      p={0}
      m={0}
      style={{ listStyle: "none" }}
    >
      {sortWorkers(workers).map((worker) => (
        <li key={worker.id}>
          <WorkerCard worker={worker} room={room} />
        </li>
      ))}
    </SimpleGrid>
  );
}
