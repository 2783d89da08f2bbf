import { ActionIcon, Anchor, Progress as Bar, Box, Paper, Text } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { Link } from "wouter";
import { useJobEvents } from "@/api/LiveProvider";
import { queries } from "@/api/queries";
import type { Extension, Job } from "@/api/schema";
import { changedValues } from "@/components/changedValues";
import { fractionOf, percentOf } from "@/components/progress";
import { Ago } from "@/components/RelativeTime";
import { StateBadge } from "@/components/StateBadge";
import { isOver } from "@/components/state";
import classes from "./JobCard.module.css";
import { JobDetails } from "./JobPanel";

interface Props {
  listed: Job;
  tool?: Extension;
  isOpen: boolean;
  toggle: () => void;
  actions: (job: Job) => ReactNode;
}

/** State, values and progress of a job in one line. The line leads to its page; the arrow unfolds it in place. */
export function JobCard({ listed, tool, isOpen, toggle, actions }: Props) {
  const job = useLatest(listed);
  const valuesId = useId();
  const values = changedValues(job.data, tool?.schema) || "default values";
  return (
    <Paper withBorder component="li" className={classes.card}>
      <div className={classes.head}>
        <ActionIcon
          variant="subtle"
          color="gray"
          className={classes.fold}
          data-open={isOpen || undefined}
          aria-expanded={isOpen}
          aria-label={isOpen ? "Fold" : "Unfold"}
          aria-describedby={valuesId}
          onClick={toggle}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
        <StateBadge status={job.status} />
        <Anchor
          id={valuesId}
          component={Link}
          href={`/jobs/${job.id}`}
          className="cover"
          c="inherit"
          size="sm"
          truncate
          title={values}
        >
          {values}
        </Anchor>
        <Text size="xs" c="dimmed" className={classes.when}>
          {percentOf(fractionOf(job)) || waitText(job) || <Ago at={job.created_at} />}
        </Text>
      </div>
      {!isOpen && job.status === "running" && <ThinBar fraction={fractionOf(job)} />}
      {!isOver(listed) && !isOpen && <Watch id={job.id} />}
      {isOpen && (
        <Box p="md" pt="xs">
          <JobDetails id={job.id} actions={actions} />
        </Box>
      )}
    </Paper>
  );
}

/** An ended job is as it is listed; any other may be newer in the cache. */
function useLatest(listed: Job): Job {
  const { data } = useQuery({ ...queries.job(listed.id), enabled: !isOver(listed) });
  return data && data.version >= listed.version ? data : listed;
}

function waitText(job: Job): string {
  if (job.status !== "pending" || job.queue_position === null) return "";
  return job.queue_position === 0 ? "next" : `${job.queue_position.toLocaleString("en")} ahead`;
}

function Watch({ id }: { id: string }) {
  useJobEvents(id);
  return null;
}

function ThinBar({ fraction }: { fraction: number | null }) {
  return (
    <Bar
      size={3}
      radius={0}
      value={fraction === null ? 100 : fraction * 100}
      animated={fraction === null}
      aria-label="Progress"
      transitionDuration={200}
    />
  );
}
