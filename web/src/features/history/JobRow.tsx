import { ActionIcon, Anchor, Checkbox, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { memo } from "react";
import { Link } from "wouter";
import { api, got } from "@/api/client";
import type { Job } from "@/api/schema";
import { StateBadge } from "@/components/StateBadge";
import { isOver } from "@/components/state";
import { Ago } from "@/components/Ticking";
import { tell, tellProblem } from "@/components/tell";
import { titleOf } from "@/components/tools";
import classes from "./History.module.css";
import { Spans } from "./Spans";

interface Props {
  job: Job;
  isPicked: boolean;
  pick: (id: string) => void;
}

/** Drawn again only when its job changes: scrolling moves rows, and draws none anew. */
export const JobRow = memo(function JobRow({ job, isPicked, pick }: Props) {
  const title = titleOf(job.name);
  return (
    <>
      <div className={classes.pick}>
        <Checkbox
          size="xs"
          checked={isPicked}
          onChange={() => pick(job.id)}
          aria-label={`Compare ${title} of ${job.user}`}
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
      <Text size="sm" truncate className={classes.who}>
        {job.user}
      </Text>
      <Text size="sm" c="dimmed" truncate className={classes.when}>
        <Ago at={job.created_at} />
      </Text>
      <div className={classes.time}>
        <Spans job={job} />
      </div>
      <div className={classes.again}>{isOver(job) && <Again job={job} title={title} />}</div>
    </>
  );
});

function Again({ job, title }: { job: Job; title: string }) {
  const again = useMutation({
    mutationFn: () => got(api.POST("/api/jobs/{job_id}/retry", { params: { path: { job_id: job.id } } })),
    onSuccess: () => tell(`${title} runs again`),
    onError: tellProblem,
  });
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      title="Run again"
      aria-label={`Run ${title} of ${job.user} again`}
      loading={again.isPending}
      onClick={() => again.mutate()}
    >
      <IconRefresh size={16} />
    </ActionIcon>
  );
}
