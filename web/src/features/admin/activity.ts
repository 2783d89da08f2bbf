import type { ActivityPoint, ExtensionActivity } from "@/api/schema";

const MINUTE_MS = 60_000;

/** How many jobs ended in a minute, at each point. */
export function ratesOf(points: ActivityPoint[]): number[] {
  return points.map(
    ({ completed, failed, duration_ms }) => ((completed + failed) * MINUTE_MS) / Math.max(duration_ms, 1),
  );
}

/** The share of failed jobs at each point; null where none ended. */
export function failureRates({ completed, failed }: Pick<ExtensionActivity, "completed" | "failed">) {
  return failed.map((count, index) => {
    const ended = count + (completed[index] ?? 0);
    return ended ? count / ended : null;
  });
}

/** The share of failed jobs of all points; null where none ended. */
export function failureRate(points: ActivityPoint[]): number | null {
  const failed = sum(points.map((point) => point.failed));
  const ended = failed + sum(points.map((point) => point.completed));
  return ended ? failed / ended : null;
}

/** Those with the most pending jobs first, then those that did the most. */
export function busiest(extensions: ExtensionActivity[]): ExtensionActivity[] {
  return [...extensions].sort(
    (one, other) =>
      other.pending - one.pending || endedOf(other) - endedOf(one) || one.name.localeCompare(other.name),
  );
}

export function endedOf({ completed, failed }: Pick<ExtensionActivity, "completed" | "failed">): number {
  return sum(completed) + sum(failed);
}

export function percent(share: number | null): string {
  if (share === null) return "–";
  return share > 0 && share < 0.01 ? "< 1 %" : `${Math.round(share * 100)} %`;
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
