import type { Job } from "@/api/schema";
import { counted, duration } from "@/components/words";

/** Where a job stands, in one line. `worker` is the name of who has it. */
export function headline(job: Job, worker: string | null): string {
  const where = worker ? ` on ${worker}` : "";
  switch (job.status) {
    case "pending":
      return place(job.queue_position);
    case "assigned":
      return worker ? `Assigned to ${worker}` : "Assigned";
    case "running":
      return `Processing${where}`;
    case "completed":
      return `Finished${took(job)}${where}`;
    case "failed":
      return `Failed${took(job)}${where}`;
    case "cancelled":
      return "Cancelled";
  }
}

function place(position: number | null): string {
  if (position === null) return "Waiting";
  if (position === 0) return "Next in the queue";
  if (position >= 1000) return "More than 1,000 jobs ahead in the queue";
  return `${counted(position, "job")} ahead in the queue`;
}

function took({ execution_time_ms }: Job): string {
  return execution_time_ms === null ? "" : ` in ${duration(execution_time_ms)}`;
}

/** Why a pending job waits, and what would end that. */
export function reason(job: Job): string | null {
  const waiting = job.status === "pending" ? job.waiting_for : null;
  if (!waiting) return null;
  switch (waiting.code) {
    case "no_worker":
      return "No worker is connected for this tool. The job waits, and starts when one comes.";
    case "workers_busy":
      return "All workers are busy.";
    case "concurrency":
      return `Only so many may run at once${waiting.key ? ` for “${waiting.key}”` : ""}.`;
    case "backoff":
      return `The last attempt did not succeed; it is tried again soon.`;
    case "circuit_open":
      return "This tool failed several times in a row and rests for a minute.";
    case "paused":
      return "This tool is paused.";
  }
}
