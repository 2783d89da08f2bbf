import { Anchor, Group, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Job, Worker } from "@/api/schema";
import { StateBadge } from "@/components/StateBadge";
import { isOver } from "@/components/state";
import { Since } from "@/components/Ticking";
import { titleOf } from "@/components/tools";

interface Props {
  worker: Worker;
  room: string | null;
  mayRun: boolean;
}

/** What it does at this moment, as far as one may see it. */
export function CurrentJobs(props: Props) {
  const jobs = useCurrentJobs(props);
  if (jobs.length === 0) return null;
  return (
    <Stack gap={6} component="ul" p={0} m={0} style={{ listStyle: "none" }} aria-label="Current jobs">
      {jobs.map((job) => (
        <Group key={job.id} component="li" gap="xs" justify="space-between" wrap="nowrap">
          <Anchor component={Link} href={`~/rooms/${job.room}/jobs/${job.id}`} size="sm" truncate>
            {titleOf(job.name)} of {job.user}
          </Anchor>
          <Group gap="xs" wrap="nowrap">
            <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
              <Since at={job.started_at ?? job.assigned_at ?? job.created_at} />
            </Text>
            <StateBadge status={job.status} />
          </Group>
        </Group>
      ))}
    </Stack>
  );
}

/** Its keeper is told all; others see what runs in their room. */
function useCurrentJobs({ worker, room, mayRun }: Props): Job[] {
  const isBusy = worker.assigned_jobs + worker.running_jobs > 0;
  const all = useQuery({ ...queries.workerJobs(worker.id), enabled: isBusy && mayRun });
  const here = useInfiniteQuery({
    ...queries.jobs(room ?? "", { status: "running" }),
    enabled: isBusy && !mayRun && room !== null,
  });
  if (!isBusy) return [];
  if (mayRun) return all.data?.filter((job) => !isOver(job)) ?? [];
  return here.data?.pages[0]?.items.filter((job) => job.worker === worker.id) ?? [];
}
