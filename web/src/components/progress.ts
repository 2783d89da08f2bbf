import type { Job } from "@/api/schema";

/** How far a running job is, from 0 to 1; `null` if it reports no total. */
export function fractionOf({ status, progress }: Pick<Job, "status" | "progress">): number | null {
  if (status !== "running" || !progress) return null;
  const { fraction, current, total } = progress;
  return fraction ?? (current !== undefined && total ? current / total : null);
}

export function percentOf(fraction: number | null): string {
  return fraction === null ? "" : `${Math.floor(fraction * 100)} %`;
}
