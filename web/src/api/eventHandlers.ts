/** What the page does about each event. An event without a handler here does not compile. */
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { ActiveJobs } from "./activeJobs";
import { applyAnnotations } from "./annotations";
import { applyDocumentEvent, listDocument } from "./documents";
import { publishFramesChanged } from "./frameChanges";
import { publishJobPositions } from "./jobPositions";
import { queries } from "./queries";
import { Refetcher } from "./refetcher";
import type { Job, JobLogged, JobPage, LogLine, webhooks } from "./schema";
import { applyTransitions } from "./transitions";

/** A search examines many jobs: once those that were just submitted have ended, then rarely. */
const SEARCH_PACE = { delayMs: 1000, intervalMs: 30_000 };

/** All jobs of a group are read again, up to thousands, while they end. */
const GROUP_PACE = { delayMs: 0, intervalMs: 2000 };

/** Documents that change many times a second while somebody plays. They have no versions. */
const VOLATILE = new Set(["step", "camera"]);

export type Events = {
  [E in keyof webhooks]: webhooks[E]["post"]["requestBody"]["content"]["application/json"];
};

type Pages = InfiniteData<JobPage>;

export type Handlers = { [E in keyof Events]: (items: Events[E]) => void };

export function eventHandlers(client: QueryClient): Handlers {
  const refetcher = new Refetcher(client);
  const searches = new Refetcher(client, SEARCH_PACE);
  const groups = new Refetcher(client, GROUP_PACE);
  const activeJobs = new ActiveJobs(client);
  const updateInPlace = (update: (pages: Pages) => Pages) => {
    for (const key of ["past", "search", "group_jobs"])
      client.setQueriesData<Pages>({ queryKey: [key] }, (pages) => pages && update(pages));
  };
  const keyOf = (query: { queryKey: readonly unknown[] }) => query.queryKey;

  return {
    "job:state_changed": (transitions) => {
      for (const transition of transitions) {
        if (!invalidateOutdatedJob(client, transition))
          refetcher.refetch(keyOf(queries.job(transition.job_id)));
        refetcher.refetch(keyOf(queries.history(transition.job_id)));
      }
      updateInPlace((pages) => applyTransitions(pages, transitions));
      activeJobs.apply(transitions);
      for (const id of pendingJobs(client)) refetcher.refetch(keyOf(queries.job(id)));
      refetcher.refetch(["jobs"]);
      refetcher.refetch(["open_questions"]);
      searches.refetch(["search"]);
      refetcher.refetch(["extensions"]);
    },
    "job:progress": (items) => {
      for (const { job_id, progress } of items) {
        client.setQueryData<Job>(keyOf(queries.job(job_id)), (job) => job && { ...job, progress });
      }
    },
    "job:log": (chunks) => {
      for (const chunk of chunks) {
        if (!appendLines(client, chunk)) refetcher.refetch(keyOf(queries.logs(chunk.job_id)));
      }
    },
    "job:preview": (items) => {
      for (const { job_id } of items) {
        refetcher.refetch(["preview", job_id]);
        refetcher.refetch(["artifacts", job_id]);
      }
    },
    "job:positions": (items) => {
      for (const item of items) publishJobPositions(item);
    },
    "job:artifact": (items) => {
      for (const { job_id } of items) refetcher.refetch(["artifacts", job_id]);
    },
    "job:annotated": (items) => {
      for (const { job_id, annotation } of items) {
        client.setQueryData<Job>(keyOf(queries.job(job_id)), (job) => job && { ...job, annotation });
      }
      updateInPlace((pages) => applyAnnotations(pages, items));
      refetcher.refetch(["jobs"]);
      searches.refetch(["search"]);
    },
    "job:suspended": (items) => {
      for (const { job_id } of items) refetcher.refetch(["job", job_id]);
    },
    "question:asked": (items) => refetchQuestions(refetcher, items),
    "question:answered": (items) => refetchQuestions(refetcher, items),
    "files:changed": (items) => {
      for (const { room } of items) refetcher.refetch(["files", room]);
    },
    "extensions:changed": () => refetcher.refetch(["extensions"]),
    "worker:state_changed": () => {
      refetcher.refetch(["workers"]);
      refetcher.refetch(["extensions"]);
      refetcher.refetch(["jobs"]);
    },
    "subscription:ended": (items) => {
      for (const { room, job_id } of items) refetcher.refetch(room ? ["room", room] : ["job", job_id]);
      refetcher.refetch(["rooms"]);
    },
    "room:changed": (items) => {
      for (const { room } of items) refetcher.refetch(["room", room]);
      refetcher.refetch(["rooms"]);
    },
    "chat:message": (items) => {
      for (const { room } of items) refetcher.refetch(["chat", room]);
    },
    "presets:changed": (items) => {
      for (const { room, category, name } of items) refetcher.refetch(["presets", room, category, name]);
    },
    "state:changed": (items) => {
      for (const item of items) {
        const { room, key } = item;
        if (!applyDocumentEvent(client, item)) refetcher.refetch(["shared", room, key]);
        if (VOLATILE.has(key)) continue;
        listDocument(client, item);
        refetcher.refetch(["document", room, key]);
        refetcher.refetch(["documents", room]);
        refetcher.refetch(["versions", room]);
      }
    },
    "frames:changed": (items) => {
      for (const item of items) {
        publishFramesChanged(item);
        refetcher.refetch(["frames", item.room]);
        refetcher.refetch(["versions", item.room]);
      }
    },
    "lock:changed": (items) => {
      for (const { room } of items) refetcher.refetch(["locks", room]);
    },
    "presence:changed": (items) => {
      for (const { room } of items) refetcher.refetch(["presence", room]);
    },
    "record:changed": (items) => {
      for (const { room } of items) refetcher.refetch(["records", room]);
    },
    "group:changed": (items) => {
      for (const { group_id, room } of items) {
        refetcher.refetch(["group", room, group_id]);
        groups.refetch(["group_jobs", room, group_id]);
        refetcher.refetch(["groups", room]);
      }
    },
    "data:changed": (items) => {
      for (const { room, category, name } of items) refetcher.refetch(["values", room, category, name]);
    },
  };
}

/** The job waits for an answer, or no longer does. */
function refetchQuestions(refetcher: Refetcher, items: { job_id: string; room: string }[]): void {
  for (const { job_id, room } of items) {
    refetcher.refetch(["questions", job_id]);
    refetcher.refetch(["open_questions", room]);
    refetcher.refetch(["job", job_id]);
  }
}

/** Refetches the job if the event is newer than what is cached. Returns false if nothing is cached. */
function invalidateOutdatedJob(
  client: QueryClient,
  { job_id, version }: { job_id: string; version: number },
): boolean {
  const key = queries.job(job_id).queryKey;
  const cached = client.getQueryData<Job>(key);
  if (cached && cached.version < version) void client.invalidateQueries({ queryKey: key });
  return cached !== undefined;
}

/** Any transition may change the queue position of the pending jobs on the page. */
function pendingJobs(client: QueryClient): string[] {
  const jobs = client.getQueriesData<Job>({ queryKey: ["job"], type: "active" });
  return jobs.flatMap(([, job]) => (job?.status === "pending" ? [job.id] : []));
}

/** Appends lines that follow the cached ones. Returns false if lines are missing in between. */
function appendLines(client: QueryClient, { job_id, attempt, lines }: JobLogged): boolean {
  const key = queries.logs(job_id).queryKey;
  const cached = client.getQueryData<LogLine[]>(key);
  if (!cached) return false;
  const last = cached.at(-1)?.seq ?? 0;
  const fresh = lines.filter((line) => line.seq > last);
  if (fresh[0] && fresh[0].seq > last + 1) return false;
  if (fresh.length) client.setQueryData(key, [...cached, ...fresh.map((line) => ({ ...line, attempt }))]);
  return true;
}
