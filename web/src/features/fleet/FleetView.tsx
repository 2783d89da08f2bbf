import { Container, Group, SimpleGrid, Skeleton, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { Job, Worker } from "@/api/schema";
import { Empty } from "@/components/Empty";
import { Trouble } from "@/components/Trouble";
import { AddWorker } from "./AddWorker";
import { Pulse } from "./Pulse";
import { ranked } from "./ranked";
import { WorkerCard } from "./WorkerCard";

export function FleetView({ room, jobs }: { room: string | null; jobs?: Job[] }) {
  const workers = useQuery(queries.workers(room));
  if (workers.isError) return <Trouble error={workers.error} retry={workers.refetch} />;
  return (
    <Container size="xl" p={0} pt={room === null ? "lg" : 0}>
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={1} size="h2">
            {room === null ? "All workers" : "Workers"}
          </Title>
          <AddWorker room={room} />
        </Group>
        {jobs ? <Pulse jobs={jobs} /> : <Skeleton h={131} />}
        {workers.data ? <Cards workers={workers.data} room={room} /> : <Skeleton h={200} />}
      </Stack>
    </Container>
  );
}

function Cards({ workers, room }: { workers: Worker[]; room: string | null }) {
  if (workers.length === 0)
    return <Empty title="No worker is connected">Jobs wait until one comes. Add one from any machine.</Empty>;
  return (
    <SimpleGrid
      component="ul"
      cols={{ base: 1, md: 2 }}
      spacing="sm"
      p={0}
      m={0}
      style={{ listStyle: "none" }}
    >
      {ranked(workers).map((worker) => (
        <li key={worker.id}>
          <WorkerCard worker={worker} room={room} />
        </li>
      ))}
    </SimpleGrid>
  );
}
