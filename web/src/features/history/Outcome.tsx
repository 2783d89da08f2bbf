import { Text } from "@mantine/core";
import { memo } from "react";
import type { Job } from "@/api/schema";
import { resultSummary } from "@/components/resultSummary";
import { sourceOf } from "@/components/results/JobIdContext";
import classes from "./History.module.css";

/** What came of a job, in one line: its result, with a thumbnail if it has an image, or its error. */
export const Outcome = memo(function Outcome({ job }: { job: Job }) {
  if (job.error)
    return (
      <Text size="xs" c="var(--mantine-color-error)" truncate title={job.error.message}>
        {job.error.type}: {job.error.message.split("\n")[0]}
      </Text>
    );
  const summary = job.status === "completed" ? resultSummary(job.result) : null;
  if (!summary) return null;
  return (
    <div className={classes.outcome}>
      {summary.image && <img src={sourceOf(summary.image, job.id)} alt="" loading="lazy" decoding="async" />}
      <Text size="xs" c="dimmed" truncate title={summary.text}>
        {summary.text}
      </Text>
    </div>
  );
});
