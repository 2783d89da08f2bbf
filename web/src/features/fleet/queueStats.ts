import type { Job } from "@/api/schema";

/** The recent history of a queue, in equal time steps. */
export interface QueueStats {
  minutes: number;
  depth: number[];
  perMinute: number[];
  waitMs: (number | null)[];
  depthNow: number;
  finishedPerMinute: number;
  medianWaitMs: number | null;
}

type Times = Pick<Job, "created_at" | "assigned_at" | "completed_at">;
const STEPS = 30;
const MAX_SPAN_MS = 3_600_000;
const MIN_SPAN_MS = 60_000;

/** Covers one hour, or less if `jobs` is only the newest part of that hour. */
export function queueStatsOf(jobs: Times[], now: number, isAll: boolean): QueueStats {
  const oldest = Math.min(...jobs.map((job) => Date.parse(job.created_at)));
  const span = isAll ? MAX_SPAN_MS : Math.min(MAX_SPAN_MS, Math.max(MIN_SPAN_MS, now - oldest));
  const step = span / STEPS;
  const ends = Array.from({ length: STEPS }, (_, index) => now - span + (index + 1) * step);
  const finishes = jobs.flatMap((job) => (job.completed_at ? [Date.parse(job.completed_at)] : []));
  const waits = jobs.flatMap(waitOf);
  const finishedIn = (from: number, to: number) => finishes.filter((at) => at > from && at <= to).length;
  const waitIn = (from: number, to: number) =>
    median(waits.filter(({ at }) => at > from && at <= to).map(({ ms }) => ms));
  return {
    minutes: span / 60_000,
    depth: ends.map((end) => depthAt(jobs, end)),
    perMinute: ends.map((end) => (finishedIn(end - step, end) * 60_000) / step),
    waitMs: ends.map((end) => waitIn(end - step, end)),
    depthNow: jobs.filter((job) => leftAt(job) === null).length, // independent of this machine's clock
    finishedPerMinute: (finishedIn(now - span, now) * 60_000) / span,
    medianWaitMs: waitIn(now - span, now),
  };
}

/** A job is in the queue from its submission until it is assigned or cancelled. */
function depthAt(jobs: Times[], time: number): number {
  return jobs.filter((job) => {
    const left = leftAt(job);
    return Date.parse(job.created_at) <= time && (left === null || Date.parse(left) > time);
  }).length;
}

function leftAt(job: Times): string | null {
  return job.assigned_at ?? job.completed_at;
}

function waitOf({ created_at, assigned_at }: Times): { at: number; ms: number }[] {
  if (assigned_at === null) return [];
  const at = Date.parse(assigned_at);
  return [{ at, ms: Math.max(0, at - Date.parse(created_at)) }];
}

function median(values: number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[middle - 1], sorted[middle]];
  if (high === undefined) return null;
  return sorted.length % 2 || low === undefined ? high : (low + high) / 2;
}
