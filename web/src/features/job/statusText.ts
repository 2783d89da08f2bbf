import type { Job } from "@/api/schema";
import { formatDuration, pluralize } from "@/components/format";

/** The state of a job in one line. `worker` is the name of its worker. */
export function headline(job: Job, worker: string | null): string {
  const where = worker ? ` on ${worker}` : "";
  switch (job.status) {
    case "pending":
      return queueText(job.queue_position);
    case "assigned":
      return worker ? `Assigned to ${worker}` : "Assigned";
    case "running":
      return `Running${where}`;
    case "completed":
      return `Completed${timeText(job)}${where}`;
    case "failed":
      return `Failed${timeText(job)}${where}`;
    case "cancelled":
      return "Cancelled";
  }
}

function queueText(position: number | null): string {
  if (position === null) return "Pending";
  if (position === 0) return "Next in the queue";
  if (position >= 1000) return "More than 1,000 jobs ahead in the queue";
  return `${pluralize(position, "job")} ahead in the queue`;
}

function timeText({ execution_time_ms }: Job): string {
  return execution_time_ms === null ? "" : ` in ${formatDuration(execution_time_ms)}`;
}

/** Why a pending job waits, and what will start it. */
export function reason(job: Job): string | null {
  const waiting = job.status === "pending" ? job.waiting_for : null;
  if (!waiting) return null;
  switch (waiting.code) {
    case "no_worker":
      return "No worker for this tool is connected. The job starts when one connects.";
    case "workers_busy":
      return "All workers are busy.";
    case "concurrency":
      return `The concurrency limit${waiting.key ? ` for “${waiting.key}”` : ""} is reached.`;
    case "backoff":
      return "The last attempt failed. It will be retried soon.";
    case "circuit_open":
      return "This tool keeps failing. Its jobs wait for about a minute.";
    case "paused":
      return "This tool is paused.";
  }
}
