import { Anchor, Divider, Group, Progress, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { Job } from "@/api/schema";
import { fractionOf, percentOf } from "@/components/progress";
import { Ago } from "@/components/RelativeTime";
import { StateBadge } from "@/components/StateBadge";
import { isOver } from "@/components/state";
import { titleOf } from "@/components/tools";
import classes from "./MyJobs.module.css";
import { NotifySwitch } from "./NotifySwitch";

const SHOWN = 12;

/** My jobs with their progress; those that still run first. */
export function JobMenu({ jobs, close }: { jobs: Job[]; close: () => void }) {
  const sorted = jobs.toSorted((a, b) => Number(isOver(a)) - Number(isOver(b)));
  return (
    <Stack gap="sm">
      <ul className={classes.jobs} aria-label="Your jobs in all rooms">
        {sorted.slice(0, SHOWN).map((job) => (
          <li key={job.id}>
            <Row job={job} close={close} />
          </li>
        ))}
      </ul>
      {jobs.length > SHOWN && (
        <Text size="xs" c="dimmed">
          and {jobs.length - SHOWN} more
        </Text>
      )}
      <Divider />
      <NotifySwitch />
    </Stack>
  );
}

function Row({ job, close }: { job: Job; close: () => void }) {
  const fraction = fractionOf(job);
  return (
    <>
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Anchor
          component={Link}
          href={`~/rooms/${job.room}/jobs/${job.id}`}
          size="sm"
          fw={500}
          truncate
          onClick={close}
        >
          {titleOf(job.name)}
        </Anchor>
        <StateBadge status={job.status} />
      </Group>
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Text size="xs" c="dimmed" truncate>
          {job.room}, <Ago at={job.created_at} />
        </Text>
        <Text size="xs" c="dimmed" style={{ fontVariantNumeric: "tabular-nums" }}>
          {percentOf(fraction)}
        </Text>
      </Group>
      {job.status === "running" && (
        <Progress
          size="xs"
          mt={4}
          value={fraction === null ? 100 : fraction * 100}
          animated={fraction === null}
          aria-label={`Progress of ${titleOf(job.name)}`}
        />
      )}
    </>
  );
}
