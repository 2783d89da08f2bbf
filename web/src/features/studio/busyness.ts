import type { Job } from "@/api/schema";
import { formatDuration } from "@/components/format";

export type Listed = Pick<Job, "status" | "data" | "execution_time_ms">;

/** How many orders of a provider run and wait. */
export interface Use {
  limit: number;
  running: number;
  waiting: number;
}

export function providerOf({ data }: Pick<Job, "data">): string {
  return String(data.provider ?? "local");
}

/** The use of a provider as far as one room knows. */
export function inRoom(provider: string, limit: number, active: Listed[]): Use {
  const own = active.filter((job) => providerOf(job) === provider);
  const waiting = own.filter(({ status }) => status === "pending").length;
  return { limit, running: own.length - waiting, waiting };
}

/** How busy a provider is, in words: "1 of 1 busy, 2 ahead, about 40 s". */
export function availability(provider: string, { limit, running, waiting }: Use, ended: Listed[]): string {
  const busy = Math.min(limit, running);
  const typical = meanDuration(provider, ended);
  const rounds = busy < limit ? 1 : Math.ceil((waiting + 1) / limit) + 1;
  const parts = [
    busy === 0 ? "free" : `${busy} of ${limit} busy`,
    waiting > 0 && `${waiting} ahead`,
    typical !== null && `about ${formatDuration(typical * rounds)}`,
  ];
  return parts.filter(Boolean).join(", ");
}

/** The milliseconds until a job starts that waits; null if that is not known. */
export function timeUntilStart(
  job: Pick<Job, "data" | "queue_position">,
  limit: number,
  ended: Listed[],
): number | null {
  const typical = meanDuration(providerOf(job), ended);
  if (typical === null || job.queue_position === null) return null;
  return typical * Math.ceil((job.queue_position + 1) / limit);
}

function meanDuration(provider: string, jobs: Listed[]): number | null {
  const own = jobs.filter((job) => providerOf(job) === provider);
  const times = own.map(({ execution_time_ms }) => execution_time_ms).filter((each) => each !== null);
  return times.length === 0 ? null : times.reduce((sum, each) => sum + each, 0) / times.length;
}
