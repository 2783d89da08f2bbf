import { Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { queries } from "@/api/queries";
import { isOver } from "@/components/state";
import { titleOf } from "@/components/tools";
import type { Stage } from "./stage";
import { useStore } from "./store";
import classes from "./View.module.css";

/** Says that the atoms are where a running job has moved them. */
export function PreviewBadge({ stage }: { stage: Stage }) {
  const jobId = useStore(stage.state, (state) => state.shown?.previewOf ?? null);
  return jobId && <JobBadge jobId={jobId} stage={stage} />;
}

/** Its end may have been missed while the page was not connected: the job itself tells. */
function JobBadge({ jobId, stage }: { jobId: string; stage: Stage }) {
  const { data: job } = useQuery(queries.job(jobId));
  const isEnded = job !== undefined && isOver(job);
  useEffect(() => {
    if (isEnded) stage.endPreview(jobId);
  }, [isEnded, jobId, stage]);
  return (
    <Badge className={classes.preview} variant="light" size="lg" tt="none" role="status">
      Preview of {job ? titleOf(job.name) : "a job"}
    </Badge>
  );
}
