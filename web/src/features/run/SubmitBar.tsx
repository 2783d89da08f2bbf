import { Button, Group, Kbd, Text } from "@mantine/core";
import { IconArrowBackUp, IconCheck, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useConnection } from "@/api/LiveProvider";
import { queries } from "@/api/queries";
import type { Extension, Job } from "@/api/schema";
import { pluralize } from "@/components/format";
import { Ago } from "@/components/RelativeTime";
import { VIEW_ONLY } from "@/components/ViewOnly";
import classes from "./SubmitBar.module.css";
import { MAX_JOBS } from "./sweep/sweep";

interface Props {
  form: string;
  tool: Extension;
  job: Job | null;
  isPending: boolean;
  /** How many jobs a sweep has, if its lists are understood. */
  jobs: number;
  isSweep: boolean;
  isViewer: boolean;
  isSaved: boolean;
  errorCount: number;
  onReset?: () => void;
  children?: ReactNode;
}

/** Run and what comes of it. It stays in view below a long form. */
export function SubmitBar({
  form,
  tool,
  job,
  isPending,
  jobs,
  isSweep,
  isViewer,
  isSaved,
  errorCount,
  onReset,
  children,
}: Props) {
  const isOffline = useConnection() === "reconnecting";
  const isSettings = tool.category === "settings";
  const Icon = isSettings ? IconCheck : IconPlayerPlay;
  return (
    <div className={classes.bar}>
      <Group gap="sm">
        <Button
          type="submit"
          form={form}
          leftSection={<Icon size={16} />}
          loading={isPending}
          disabled={isOffline || isViewer || jobs > MAX_JOBS}
        >
          {isSettings ? "Save" : jobs ? `Run ${pluralize(jobs, "job")}` : "Run"}
        </Button>
        <Text size="sm" c="dimmed" role="status" className={classes.status}>
          {isViewer ? (
            VIEW_ONLY
          ) : isOffline ? (
            "The server cannot be reached. Your input is kept."
          ) : errorCount ? (
            "Please correct the values above."
          ) : jobs > MAX_JOBS ? (
            `${pluralize(jobs, "job")} are too many: the limit is ${MAX_JOBS.toLocaleString("en")}.`
          ) : isSweep ? (
            jobs ? (
              "Every combination of the values is a job."
            ) : (
              "A list above is not understood."
            )
          ) : isSaved ? (
            "Saved."
          ) : job ? (
            <JobStatus id={job.id} />
          ) : (
            <Text span inherit visibleFrom="sm">
              <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd>
            </Text>
          )}
        </Text>
        {children}
        {onReset && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<IconArrowBackUp size={14} />}
            onClick={onReset}
          >
            Reset
          </Button>
        )}
      </Group>
      {!isSettings && <WaitNotice tool={tool} />}
    </div>
  );
}

const STATES: Record<string, string> = {
  pending: "Waiting for a worker",
  assigned: "Starting",
  running: "Running",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};

function JobStatus({ id }: { id: string }) {
  const { data } = useQuery(queries.job(id));
  if (!data) return null;
  const { fraction } = (data.progress ?? {}) as { fraction?: number };
  const percent =
    data.status === "running" && typeof fraction === "number" ? `, ${Math.round(fraction * 100)} %` : "";
  return `${STATES[data.status] ?? data.status}${percent}`;
}

/** Explains why a job submitted now would have to wait. */
function WaitNotice({ tool }: { tool: Extension }) {
  const hasWorker = tool.idle_workers + tool.busy_workers > 0;
  if (!tool.paused && !tool.circuit_open && hasWorker) return null;
  return (
    <Text size="sm" c="dimmed">
      {tool.paused ? (
        "This tool is paused. Jobs wait until it is resumed."
      ) : tool.circuit_open ? (
        "This tool keeps failing. Jobs wait for about a minute."
      ) : tool.away_since ? (
        <>
          The last worker left <Ago at={tool.away_since} />. Jobs wait until one connects.
        </>
      ) : (
        "No worker is connected. Jobs wait until one connects."
      )}
    </Text>
  );
}
