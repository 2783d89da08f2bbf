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
      if (job.waiting_for) return `Waiting${where}`;
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

/** Why a pending or running job waits, and what will start it. */
export function reason(job: Job): string | null {
  const waiting = job.waiting_for;
  if (!waiting) return null;
  switch (waiting.code) {
    case "no_worker":
      return "No worker for this tool is connected. The job starts when one connects.";
    case "workers_busy":
      return "All workers are busy.";
    case "concurrency":
      return `The concurrency limit${waiting.key ? ` for “${waiting.key}”` : ""} is reached.`;
    case "rate":
      return `The rate limit${waiting.key ? ` for “${waiting.key}”` : ""} is reached.${startText(waiting.until)}`;
    case "backoff":
      return "The last attempt failed. It will be retried soon.";
    case "circuit_open":
      return "This tool keeps failing. Its jobs wait for about a minute.";
    case "paused":
      return waiting.group ? "Its group is paused." : "This tool is paused.";
    case "run_at":
      return `It was submitted for a later time.${dayText(waiting.until)}`;
    case "after":
      return waiting.count === 1
        ? `It starts after another ${waiting.group ? "group" : "job"}.`
        : `It starts after ${waiting.count} others.`;
    case "answer":
      return "The job asked a question, and continues with the answer.";
    case "children":
      return `The job waits for a ${waiting.group ? "group" : "job"} that it submitted.`;
  }
}

/** It may be on another day. */
function dayText(until: string | null): string {
  const options = { dateStyle: "medium", timeStyle: "medium" } as const;
  return until ? ` The job can start on ${new Date(until).toLocaleString(undefined, options)}.` : "";
}

function startText(until: string | null): string {
  return until ? ` The job can start at ${new Date(until).toLocaleTimeString()}.` : "";
}
