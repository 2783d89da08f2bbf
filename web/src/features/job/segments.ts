import type { Job, JobState } from "@/api/schema";
import { isOver } from "@/components/state";

export interface Segment {
  label: string;
  status: JobState;
  phase: "past" | "now" | "ahead";
  /** The length of a past segment in milliseconds, or the start of the current one. */
  sinceOrMs: number | string | null;
}

/** The share of the bar for each segment: in proportion to its time. */
export function sharesOf(segments: Segment[], now: number): number[] {
  const times = segments.map(({ sinceOrMs }) =>
    typeof sinceOrMs === "string" ? Math.max(0, now - Date.parse(sinceOrMs)) : (sinceOrMs ?? 0),
  );
  const total = times.reduce((sum, each) => sum + each, 0);
  return times.map((each) => (total > 0 ? each / total : 0));
}

type Times = Pick<Job, "status" | "created_at" | "assigned_at" | "started_at" | "completed_at">;

export function segmentsOf(job: Times): Segment[] {
  const over = isOver(job);
  const starts = [job.created_at, job.assigned_at, job.started_at, job.completed_at];
  const steps: JobState[] = ["pending", "assigned", "running", over ? job.status : "completed"];
  const here = over ? 3 : steps.indexOf(job.status);
  return steps.map((status, index) => ({
    label: status,
    status,
    phase: phaseOf(index, here, over, starts[index] ?? null),
    sinceOrMs: timeOf(index, here, over, starts),
  }));
}

function phaseOf(index: number, here: number, over: boolean, start: string | null): Segment["phase"] {
  if (index === here) return over ? "past" : "now";
  return index < here && start ? "past" : "ahead";
}

function timeOf(
  index: number,
  here: number,
  over: boolean,
  starts: (string | null)[],
): number | string | null {
  const start = starts[index];
  if (!start || index > here || index === 3) return null;
  if (index === here && !over) return start;
  const end = starts.slice(index + 1).find((each) => each !== null);
  return end ? Math.max(0, Date.parse(end) - Date.parse(start)) : null;
}
