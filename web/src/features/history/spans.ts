import type { Job } from "@/api/schema";
import { formatDuration } from "@/components/format";

export interface Span {
  label: "waited" | "assigned" | "ran";
  status: "pending" | "assigned" | "running";
  /** `null` if the job never was in this state. */
  ms: number | null;
}

type Times = Pick<Job, "created_at" | "assigned_at" | "started_at" | "completed_at">;

/** How long a job was in each state; the current state lasts until `now`. */
export function spansOf(job: Times, now: number): Span[] {
  const end = at(job.completed_at) ?? now;
  const [created, assigned, started] = [at(job.created_at), at(job.assigned_at), at(job.started_at)];
  return [
    { label: "waited", status: "pending", ms: between(created, assigned ?? started ?? end) },
    { label: "assigned", status: "assigned", ms: between(assigned, started ?? end) },
    { label: "ran", status: "running", ms: between(started, end) },
  ];
}

/** Leaves out states that the job never was in. */
export function spansText(spans: Span[]): string {
  return spans.flatMap(({ label, ms }) => (ms === null ? [] : [`${label} ${formatDuration(ms)}`])).join(", ");
}

function at(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}

/** Never negative, because clocks differ. */
function between(start: number | null, end: number | null): number | null {
  return start === null || end === null ? null : Math.max(0, end - start);
}
