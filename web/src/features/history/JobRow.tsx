import { ActionIcon, Anchor, Checkbox, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { memo } from "react";
import { Link } from "wouter";
import { api, dataOf } from "@/api/client";
import type { Job } from "@/api/schema";
import { notify, notifyError } from "@/components/notify";
import { PersonName, useName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { StateBadge } from "@/components/StateBadge";
import { isOver } from "@/components/state";
import { titleOf } from "@/components/tools";
import classes from "./History.module.css";
import { Spans } from "./Spans";

interface Props {
  job: Job;
  isPicked: boolean;
  pick: (id: string) => void;
}

/** Memoized: scrolling moves rows without rendering them again. */
export const JobRow = memo(function JobRow({ job, isPicked, pick }: Props) {
  const title = titleOf(job.name);
  const name = useName(job.user);
  return (
    <>
      <div className={classes.pick}>
        <Checkbox
          size="xs"
          checked={isPicked}
          onChange={() => pick(job.id)}
          aria-label={`Compare ${title} of ${name}`}
        />
      </div>
      <div className={classes.tool}>
        <Anchor
          component={Link}
          href={`/jobs/${job.id}`}
          c="inherit"
          fw={500}
          className="cover"
          truncate
          display="block"
        >
          {title}
        </Anchor>
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
      <div className={classes.again}>{isOver(job) && <Again job={job} title={title} name={name} />}</div>
    </>
  );
});

function Again({ job, title, name }: { job: Job; title: string; name: string }) {
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
      aria-label={`Run ${title} of ${name} again`}
      loading={again.isPending}
      onClick={() => again.mutate()}
    >
      <IconRefresh size={16} />
    </ActionIcon>
  );
}
