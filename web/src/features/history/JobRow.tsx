import { ActionIcon, Anchor, Checkbox, Text } from "@mantine/core";
import { IconNote, IconRefresh } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { memo } from "react";
import { Link } from "wouter";
import { api, dataOf } from "@/api/client";
import type { Job } from "@/api/schema";
import { Star } from "@/components/annotation/Star";
import { Tags } from "@/components/annotation/Tags";
import { changedValues } from "@/components/changedValues";
import { notify, notifyError } from "@/components/notify";
import { PersonName, useName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { StateBadge } from "@/components/StateBadge";
import { isOver } from "@/components/state";
import { titleOf } from "@/components/tools";
import { useIsViewer } from "@/components/ViewOnly";
import classes from "./History.module.css";
import { Outcome } from "./Outcome";
import { Spans } from "./Spans";

interface Props {
  job: Job;
  schema?: Record<string, unknown>;
  isPicked: boolean;
  pick: (id: string) => void;
}

/** Memoized: scrolling moves rows without rendering them again. */
export const JobRow = memo(function JobRow({ job, schema, isPicked, pick }: Props) {
  const title = titleOf(job.name);
  const user = useName(job.user);
  const of = `${title} of ${user}`;
  const isViewer = useIsViewer(job.room);
  return (
    <>
      <div className={classes.pick}>
        <Checkbox size="xs" checked={isPicked} onChange={() => pick(job.id)} aria-label={`Select ${of}`} />
      </div>
      <div className={classes.star}>
        <Star job={job} of={of} />
      </div>
      <div className={classes.tool}>
        <Heading job={job} title={title} />
        <Values job={job} schema={schema} />
      </div>
      <div className={classes.result}>
        <Outcome job={job} />
      </div>
      <div className={classes.state}>
        <StateBadge status={job.status} />
      </div>
      <Text size="sm" truncate component="div" className={classes.who}>
        <PersonName id={job.user} />
      </Text>
      <Text size="sm" c="dimmed" truncate className={classes.when}>
        <Ago at={job.created_at} />
      </Text>
      <div className={classes.time}>
        <Spans job={job} />
      </div>
      <div className={classes.again}>
        {!isViewer && isOver(job) && <Again job={job} title={title} of={of} />}
      </div>
    </>
  );
});

/** The name that somebody gave the job, or its tool; then its tags. */
function Heading({ job: { id, annotation }, title }: { job: Job; title: string }) {
  return (
    <div className={classes.heading}>
      <Anchor component={Link} href={`/jobs/${id}`} c="inherit" fw={500} className="cover" truncate>
        {annotation?.name || title}
      </Anchor>
      {annotation?.name && (
        <Text size="xs" c="dimmed" truncate>
          {title}
        </Text>
      )}
      {annotation && <Tags tags={annotation.tags} />}
      {annotation?.note && <IconNote size={14} aria-label="Has a note" className={classes.note} />}
    </div>
  );
}

function Values({ job, schema }: Pick<Props, "job" | "schema">) {
  const values = changedValues(job.data, schema);
  return (
    <Text size="xs" c="dimmed" truncate title={values}>
      {values || "default values"}
    </Text>
  );
}

function Again({ job, title, of }: { job: Job; title: string; of: string }) {
  const again = useMutation({
    mutationFn: () => dataOf(api.POST("/api/jobs/{job_id}/retry", { params: { path: { job_id: job.id } } })),
    onSuccess: () => notify(`${title} submitted again`),
    onError: notifyError,
  });
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      title="Run again"
      aria-label={`Run ${of} again`}
      loading={again.isPending}
      onClick={() => again.mutate()}
    >
      <IconRefresh size={16} />
    </ActionIcon>
  );
}
