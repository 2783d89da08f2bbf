import { Group, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useJobEvents } from "@/api/LiveProvider";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { ErrorMessage } from "@/components/ErrorMessage";
import { Artifacts } from "@/components/results/Artifacts";
import { Result } from "@/components/results/Result";
import { isOver } from "@/components/state";
import { Eta } from "./Eta";
import { Failure } from "./Failure";
import { Items } from "./Items";
import { Log } from "./Log";
import { LastPreview, Preview } from "./Preview";
import { Progress } from "./Progress";
import { StateBar } from "./StateBar";
import { headline, reason } from "./statusText";
import { useWorkerName } from "./useWorkerName";

/** The live state of one job. `actions` adds buttons. */
export function JobPanel(props: { id: string; actions?: (job: Job) => ReactNode }) {
  return (
    <Paper withBorder p="md">
      <JobDetails {...props} />
    </Paper>
  );
}

/** The same without a frame. */
export function JobDetails({ id, actions }: { id: string; actions?: (job: Job) => ReactNode }) {
  useJobEvents(id);
  const job = useQuery(queries.job(id));
  if (job.isPending) return <Skeleton h={160} />;
  if (job.isError) return <ErrorMessage error={job.error} retry={job.refetch} />;
  return (
    <Stack gap="md" component="section" aria-label="Job">
      <StateBar job={job.data} />
      <Status job={job.data}>{actions?.(job.data)}</Status>
      <Progress job={job.data} />
      <Outcome job={job.data} />
      <Log job={job.data} />
    </Stack>
  );
}

function Status({ job, children }: { job: Job; children?: ReactNode }) {
  const worker = useWorkerName(job);
  const why = reason(job);
  return (
    <Group justify="space-between" align="flex-start" gap="xs">
      <div role="status" style={{ flex: "1 1 12rem" }}>
        <Text fw={550}>{headline(job, worker)}</Text>
        {why && (
          <Text size="sm" c="dimmed">
            {why} <Eta job={job} />
          </Text>
        )}
      </div>
      <Group gap="xs">{children}</Group>
    </Group>
  );
}

function Outcome({ job }: { job: Job }) {
  return (
    <>
      {job.status === "running" && <Preview id={job.id} />}
      {job.status !== "completed" && <Items job={job} />}
      {job.error && <Failure error={job.error} />}
      {job.status === "completed" && <Result value={job.result} job={job} />}
      {job.attempt > 0 && <Artifacts jobId={job.id} result={job.result} />}
      {isOver(job) && job.attempt > 0 && <LastPreview id={job.id} />}
    </>
  );
}
