import type { Job } from "@/api/schema";
import { pluralize } from "@/components/format";
import { fractionOf, percentOf } from "@/components/progress";
import { isOver } from "@/components/state";
import { titleOf } from "@/components/tools";

export type Shown = Pick<Job, "id" | "name" | "status" | "progress">;

/** The mean progress of the running jobs that report any. */
export function meanFraction(jobs: Shown[]): number | null {
  const known = jobs.map(fractionOf).filter((each) => each !== null);
  return known.length ? known.reduce((sum, each) => sum + each, 0) / known.length : null;
}

/** For the title of the tab: what ended while nobody looked, and what is under way. */
export function tabStatus(jobs: Shown[], ended: Shown[]): string {
  const mark = markOf(ended);
  const sign = mark === null ? "" : mark === "failed" ? "✗ " : "✓ ";
  const active = jobs.filter((job) => !isOver(job));
  if (active.length === 0) return sign && sign + endedText(ended);
  const percent = percentOf(meanFraction(active));
  if (active.length === 1 && percent) return sign + percent;
  return sign + [countText(active), percent].filter(Boolean).join(", ");
}

/** For example "2 running, 1 waiting"; empty if all have ended. */
export function countText(jobs: Shown[]): string {
  const active = jobs.filter((job) => !isOver(job));
  const running = active.filter(({ status }) => status === "running").length;
  const waiting = active.length - running;
  return [running && `${running} running`, waiting && `${waiting} waiting`].filter(Boolean).join(", ");
}

/** Failures count more than successes. */
export function markOf(ended: Shown[]): "failed" | "completed" | null {
  if (ended.length === 0) return null;
  return ended.some(({ status }) => status === "failed") ? "failed" : "completed";
}

function endedText(ended: Shown[]): string {
  const [only, ...others] = ended;
  return only && others.length === 0 ? titleOf(only.name) : `${pluralize(ended.length, "job")} ended`;
}
