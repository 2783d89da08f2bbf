import type { Job } from "@/api/schema";
import { duration } from "@/components/words";

export interface Span {
  label: "waited" | "assigned" | "ran";
  status: "pending" | "assigned" | "running";
  /** `null` where the job has not been. */
  ms: number | null;
}

type Times = Pick<Job, "created_at" | "assigned_at" | "started_at" | "completed_at">;

/** How long a job was in each state; in the present one until now. */
export function spansOf(job: Times, now: number): Span[] {
  const end = at(job.completed_at) ?? now;
  const [created, assigned, started] = [at(job.created_at), at(job.assigned_at), at(job.started_at)];
  return [
    { label: "waited", status: "pending", ms: between(created, assigned ?? started ?? end) },
    { label: "assigned", status: "assigned", ms: between(assigned, started ?? end) },
    { label: "ran", status: "running", ms: between(started, end) },
  ];
}

/** Only the states it was in. */
export function spansText(spans: Span[]): string {
  return spans.flatMap(({ label, ms }) => (ms === null ? [] : [`${label} ${duration(ms)}`])).join(", ");
}

function at(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}

/** Clocks differ: nothing lasts less than nothing. */
function between(start: number | null, end: number | null): number | null {
  return start === null || end === null ? null : Math.max(0, end - start);
}
