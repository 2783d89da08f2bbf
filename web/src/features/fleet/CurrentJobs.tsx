import { Anchor, Group, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Job, Worker } from "@/api/schema";
import { useName } from "@/components/PersonName";
import { Since } from "@/components/RelativeTime";
import { StateBadge } from "@/components/StateBadge";
import { isOver } from "@/components/state";
import { titleOf } from "@/components/tools";

interface Props {
  worker: Worker;
  room: string | null;
  mayManage: boolean;
}

/** The worker's current jobs, as far as the viewer may see them. */
export function CurrentJobs(props: Props) {
  const jobs = useCurrentJobs(props);
  if (jobs.length === 0) return null;
  return (
    <Stack gap={6} component="ul" p={0} m={0} style={{ listStyle: "none" }} aria-label="Current jobs">
      {jobs.map((job) => (
        <Group key={job.id} component="li" gap="xs" justify="space-between" wrap="nowrap">
          <Anchor component={Link} href={`~/rooms/${job.room}/jobs/${job.id}`} size="sm" truncate>
            {titleOf(job.name)} of <Name id={job.user} />
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

function Name({ id }: { id: string }) {
  return <bdi>{useName(id)}</bdi>;
}

/** The worker's user and admins see all of its jobs; others see those of the room. */
function useCurrentJobs({ worker, room, mayManage }: Props): Job[] {
  const isBusy = worker.assigned_jobs + worker.running_jobs > 0;
  const all = useQuery({ ...queries.workerJobs(worker.id), enabled: isBusy && mayManage });
  const here = useInfiniteQuery({
    ...queries.jobs(room ?? "", { status: "running" }),
    enabled: isBusy && !mayManage && room !== null,
  });
  if (!isBusy) return [];
  if (mayManage) return all.data?.filter((job) => !isOver(job)) ?? [];
  return here.data?.pages[0]?.items.filter((job) => job.worker === worker.id) ?? [];
}
