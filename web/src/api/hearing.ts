/** What the page does about each event. One that has no handler here does not compile. */
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { queries } from "./queries";
import { Refreshing } from "./refreshing";
import type { Job, JobLogged, JobPage, LogLine, webhooks } from "./schema";
import { stepped } from "./stepped";

export type Events = {
  [E in keyof webhooks]: webhooks[E]["post"]["requestBody"]["content"]["application/json"];
};

export type Handlers = { [E in keyof Events]: (items: Events[E]) => void };

export function hearing(client: QueryClient): Handlers {
  const refreshing = new Refreshing(client);
  const keyOf = (query: { queryKey: readonly unknown[] }) => query.queryKey;

  return {
    "job:state_changed": (steps) => {
      for (const step of steps) {
        if (!caughtUp(client, step)) refreshing.soon(keyOf(queries.job(step.job_id)));
        refreshing.soon(keyOf(queries.history(step.job_id)));
      }
      client.setQueriesData<InfiniteData<JobPage>>(
        { queryKey: ["past"] },
        (pages) => pages && stepped(pages, steps),
      );
      for (const id of waitingJobs(client)) refreshing.soon(keyOf(queries.job(id)));
      refreshing.soon(["jobs"]);
      refreshing.soon(["extensions"]);
    },
    "job:progress": (items) => {
      for (const { job_id, progress } of items) {
        client.setQueryData<Job>(keyOf(queries.job(job_id)), (job) => job && { ...job, progress });
      }
    },
    "job:log": (parcels) => {
      for (const parcel of parcels) {
        if (!heardLines(client, parcel)) refreshing.soon(keyOf(queries.logs(parcel.job_id)));
      }
    },
    "job:preview": (items) => {
      for (const { job_id } of items) refreshing.soon(["preview", job_id]);
    },
    "job:artifact": (items) => {
      for (const { job_id } of items) refreshing.soon(["artifacts", job_id]);
    },
    "files:changed": (items) => {
      for (const { room } of items) refreshing.soon(["files", room]);
    },
    "extensions:changed": () => refreshing.soon(["extensions"]),
    "worker:state_changed": () => {
      refreshing.soon(["workers"]);
      refreshing.soon(["extensions"]);
      refreshing.soon(["jobs"]);
    },
    "room:changed": (items) => {
      for (const { room } of items) refreshing.soon(["room", room]);
      refreshing.soon(["rooms"]);
    },
    "chat:message": (items) => {
      for (const { room } of items) refreshing.soon(["chat", room]);
    },
    "data:changed": (items) => {
      for (const { room, category, name } of items) refreshing.soon(["values", room, category, name]);
    },
  };
}

/** A job that is further than its document is asked for. False if there is no document yet. */
function caughtUp(client: QueryClient, { job_id, version }: { job_id: string; version: number }): boolean {
  const key = queries.job(job_id).queryKey;
  const known = client.getQueryData<Job>(key);
  if (known && known.version < version) void client.invalidateQueries({ queryKey: key });
  return known !== undefined;
}

/** Whoever moves, the place of those who wait may be another. */
function waitingJobs(client: QueryClient): string[] {
  const jobs = client.getQueriesData<Job>({ queryKey: ["job"], type: "active" });
  return jobs.flatMap(([, job]) => (job?.status === "pending" ? [job.id] : []));
}

/** Lines that follow what is known are added; after a gap the missing ones are asked for. */
function heardLines(client: QueryClient, { job_id, attempt, lines }: JobLogged): boolean {
  const key = queries.logs(job_id).queryKey;
  const known = client.getQueryData<LogLine[]>(key);
  if (!known) return false;
  const last = known.at(-1)?.seq ?? 0;
  const fresh = lines.filter((line) => line.seq > last);
  if (fresh[0] && fresh[0].seq > last + 1) return false;
  if (fresh.length) client.setQueryData(key, [...known, ...fresh.map((line) => ({ ...line, attempt }))]);
  return true;
}
