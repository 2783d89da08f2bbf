/** Every query of the page, with the key of its cache entry. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import { withNoted } from "./documentList";
import { decodeFrames, numbersOf } from "./frames";
import { fetchPerson } from "./people";
import { hasCode } from "./problem";
import type { Job, JobState, LogLine } from "./schema";
import { forgetSession, hasSession } from "./session";
import { redeemTicket } from "./viewToken";

const PENDING_REFETCH_MS = 5000;
const POSITIONS_REFETCH_MS = 30_000;
const ADMIN_REFETCH_MS = 10_000;
const COLUMN_POINTS = 2000;
const PERSON_STALE_MS = 300_000; // people rarely change their names

export interface JobFilter {
  status?: JobState;
  extension?: string;
  user?: string;
  /** What was typed into the search box. */
  q?: string;
}

/** Of the jobs of all rooms. */
export interface AnyJobFilter {
  status?: JobState;
  room?: string;
  user?: string;
  extension?: string;
}

/** A document with its ETag, which a change has to name. */
export interface DocumentValue {
  value: unknown;
  etag: string;
}

export interface ExtensionId {
  category: string;
  name: string;
}

export const queries = {
  me: () =>
    queryOptions({
      queryKey: ["me"],
      queryFn: async () => {
        await redeemTicket();
        if (!hasSession()) return null;
        return dataOf(api.GET("/api/users/me")).catch((error) => {
          if (!hasCode(error, "unauthenticated")) throw error;
          forgetSession();
          return null;
        });
      },
      staleTime: Number.POSITIVE_INFINITY,
    }),

  /** My usage of each quota. Never cached, because almost every action changes it. */
  usage: () =>
    queryOptions({
      queryKey: ["usage"],
      queryFn: async () => (await dataOf(api.GET("/api/users/me"))).usage,
      staleTime: 0,
    }),

  person: (id: string) =>
    queryOptions({
      queryKey: ["person", id],
      queryFn: () => fetchPerson(id),
      staleTime: PERSON_STALE_MS,
    }),

  rooms: () =>
    infiniteQueryOptions({
      queryKey: ["rooms"],
      queryFn: ({ pageParam }) => dataOf(api.GET("/api/rooms", { params: { query: { after: pageParam } } })),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_after ?? undefined,
    }),

  room: (room: string) =>
    queryOptions({
      queryKey: ["room", room],
      queryFn: () => dataOf(api.GET("/api/rooms/{room}", { params: { path: { room } } })),
    }),

  presence: (room: string) =>
    queryOptions({
      queryKey: ["presence", room],
      queryFn: () => dataOf(api.GET("/api/rooms/{room}/presence", { params: { path: { room } } })),
      select: (response) => response.items,
    }),

  frames: (room: string) =>
    queryOptions({
      queryKey: ["frames", room],
      queryFn: () => dataOf(api.GET("/api/rooms/{room}/frames", { params: { path: { room } } })),
    }),

  /** Numbers of the frames, at most about 2,000 of each key. */
  frameColumns: (room: string, keys: string[], length: number) =>
    queryOptions({
      queryKey: ["frames", room, "columns", keys, length],
      queryFn: () => fetchColumns(room, keys, Math.max(1, Math.ceil(length / COLUMN_POINTS))),
    }),

  versions: (room: string) =>
    queryOptions({
      queryKey: ["versions", room],
      queryFn: () => dataOf(api.GET("/api/rooms/{room}/versions", { params: { path: { room } } })),
      select: (response) => response.items,
    }),

  locks: (room: string) =>
    queryOptions({
      queryKey: ["locks", room],
      queryFn: () => dataOf(api.GET("/api/rooms/{room}/locks", { params: { path: { room } } })),
      select: (response) => response.items,
    }),

  documents: (room: string) =>
    queryOptions({
      queryKey: ["documents", room],
      queryFn: async () => {
        const since = performance.now();
        const list = await dataOf(api.GET("/api/rooms/{room}/state", { params: { path: { room } } }));
        return withNoted(list, room, since);
      },
      select: (response) => response.items,
    }),

  document: (room: string, key: string) =>
    queryOptions({
      queryKey: ["document", room, key],
      queryFn: () => fetchDocument(room, key),
    }),

  /** The packs of the server change only when it is restarted. */
  packs: () =>
    queryOptions({
      queryKey: ["packs"],
      queryFn: () => dataOf(api.GET("/api/packs")),
      select: (response) => response.items,
      staleTime: Number.POSITIVE_INFINITY,
    }),

  members: (room: string) =>
    queryOptions({
      queryKey: ["room", room, "members"],
      queryFn: () => dataOf(api.GET("/api/rooms/{room}/members", { params: { path: { room } } })),
    }),

  extensions: (room: string) =>
    queryOptions({
      queryKey: ["extensions", room],
      queryFn: () => dataOf(api.GET("/api/rooms/{room}/extensions", { params: { path: { room } } })),
      select: (response) => response.items,
    }),

  values: (room: string, { category, name }: ExtensionId) =>
    queryOptions({
      queryKey: ["values", room, category, name],
      queryFn: () =>
        dataOf(
          api.GET("/api/rooms/{room}/extensions/{category}/{name}/data", {
            params: { path: { room, category, name } },
          }),
        ),
      select: (response) => response.data,
    }),

  presets: (room: string, { category, name }: ExtensionId) =>
    queryOptions({
      queryKey: ["presets", room, category, name],
      queryFn: () =>
        dataOf(
          api.GET("/api/rooms/{room}/presets/{category}/{name}", {
            params: { path: { room, category, name } },
          }),
        ),
      select: (response) => response.items,
    }),

  /** A search examines many jobs, so that events do not refetch it as often as a list. */
  jobs: (room: string, filter: JobFilter = {}, limit = 50) =>
    infiniteQueryOptions({
      queryKey: [filter.q ? "search" : "jobs", room, filter, limit],
      queryFn: ({ pageParam: cursor }) =>
        dataOf(
          api.GET("/api/rooms/{room}/jobs", {
            params: { path: { room }, query: { ...filter, cursor, limit } },
          }),
        ),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
    }),

  /** Older jobs. Events update these pages in place, so they are not refetched. */
  pastJobs: (room: string, filter: JobFilter) =>
    infiniteQueryOptions({
      queryKey: ["past", room, filter],
      queryFn: ({ pageParam: cursor }) =>
        dataOf(
          api.GET("/api/rooms/{room}/jobs", {
            params: { path: { room }, query: { ...filter, cursor, limit: 200 } },
          }),
        ),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      refetchOnWindowFocus: false,
    }),

  /** Everyone's unfinished jobs of one tool. Events keep the list up to date, apart from fair shares of the queue. */
  active: (room: string, { category, name }: ExtensionId) =>
    queryOptions({
      queryKey: ["active", room, `${category}/${name}`],
      queryFn: () => fetchActive(room, `${category}/${name}`),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
      refetchInterval: ({ state }) =>
        state.data?.some(({ status }) => status === "pending") ? POSITIONS_REFETCH_MS : false,
    }),

  /** My unfinished jobs in all rooms, and those that have ended since. Events keep the list up to date. */
  mine: (user: string) =>
    queryOptions({
      queryKey: ["mine", user],
      queryFn: async () => {
        const query = { unfinished: true, limit: 100 };
        return (await dataOf(api.GET("/api/users/{user}/jobs", { params: { path: { user }, query } }))).items;
      },
      staleTime: Number.POSITIVE_INFINITY,
    }),

  /** The newest jobs of all rooms, for admins. */
  everyJob: (limit: number) =>
    queryOptions({
      queryKey: ["jobs", null, limit],
      queryFn: () => dataOf(api.GET("/api/jobs", { params: { query: { limit } } })),
      select: (response) => response.items,
      // Events of other rooms cover workers, but not jobs that are still pending there.
      refetchInterval: PENDING_REFETCH_MS,
    }),

  /** What happens on the whole server, for admins. */
  overview: (hours: number) =>
    queryOptions({
      queryKey: ["admin", "overview", hours],
      queryFn: () => dataOf(api.GET("/api/admin/overview", { params: { query: { hours } } })),
      refetchInterval: ADMIN_REFETCH_MS,
    }),

  anyJobs: (filter: AnyJobFilter) =>
    infiniteQueryOptions({
      queryKey: ["admin", "jobs", filter],
      queryFn: ({ pageParam: cursor }) =>
        dataOf(api.GET("/api/jobs", { params: { query: { ...filter, cursor, limit: 100 } } })),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      refetchInterval: ADMIN_REFETCH_MS,
    }),

  roomUsage: () =>
    infiniteQueryOptions({
      queryKey: ["admin", "rooms"],
      staleTime: 0,
      queryFn: ({ pageParam: after }) =>
        dataOf(api.GET("/api/admin/rooms", { params: { query: { after, limit: 500 } } })),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_after ?? undefined,
    }),

  users: () =>
    infiniteQueryOptions({
      queryKey: ["admin", "users"],
      staleTime: 0,
      queryFn: ({ pageParam: after }) =>
        dataOf(api.GET("/api/users", { params: { query: { after, limit: 200 } } })),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_after ?? undefined,
    }),

  audit: () =>
    infiniteQueryOptions({
      queryKey: ["admin", "audit"],
      staleTime: 0,
      queryFn: ({ pageParam: cursor }) =>
        dataOf(api.GET("/api/admin/audit", { params: { query: { cursor, limit: 100 } } })),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
    }),

  settings: () =>
    queryOptions({
      queryKey: ["admin", "settings"],
      staleTime: 0,
      queryFn: () => dataOf(api.GET("/api/admin/settings")),
      select: (response) => response.items,
    }),

  workerJobs: (worker: string) =>
    queryOptions({
      queryKey: ["jobs", { worker }],
      queryFn: () =>
        dataOf(api.GET("/api/workers/{worker_id}/jobs", { params: { path: { worker_id: worker } } })),
      select: (response) => response.items,
    }),

  job: (id: string) =>
    queryOptions({
      queryKey: ["job", id],
      queryFn: () => dataOf(api.GET("/api/jobs/{job_id}", { params: { path: { job_id: id } } })),
      // Jobs of other rooms may change its queue position, and this page receives no events about those.
      refetchInterval: ({ state }) => (state.data?.status === "pending" ? PENDING_REFETCH_MS : false),
    }),

  groups: (room: string) =>
    infiniteQueryOptions({
      queryKey: ["groups", room],
      queryFn: ({ pageParam: cursor }) =>
        dataOf(api.GET("/api/rooms/{room}/groups", { params: { path: { room }, query: { cursor } } })),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
    }),

  group: (room: string, id: string) =>
    queryOptions({
      queryKey: ["group", room, id],
      queryFn: () => dataOf(api.GET("/api/groups/{group}", { params: { path: { group: id } } })),
    }),

  /** Events update the states in place; results are read again now and then. */
  groupJobs: (room: string, id: string) =>
    infiniteQueryOptions({
      queryKey: ["group_jobs", room, id],
      queryFn: ({ pageParam: cursor }) =>
        dataOf(
          api.GET("/api/groups/{group}/jobs", {
            params: { path: { group: id }, query: { cursor, limit: 500 } },
          }),
        ),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
    }),

  questions: (id: string) =>
    queryOptions({
      queryKey: ["questions", id],
      queryFn: () => dataOf(api.GET("/api/jobs/{job_id}/questions", { params: { path: { job_id: id } } })),
      select: (response) => response.items,
    }),

  openQuestions: (room: string) =>
    queryOptions({
      queryKey: ["open_questions", room],
      queryFn: () => dataOf(api.GET("/api/rooms/{room}/questions", { params: { path: { room } } })),
      select: (response) => response.items,
    }),

  children: (id: string) =>
    queryOptions({
      queryKey: ["jobs", { parent: id }],
      queryFn: () => dataOf(api.GET("/api/jobs/{job_id}/children", { params: { path: { job_id: id } } })),
      select: (response) => response.items,
    }),

  arrows: (id: string) =>
    queryOptions({
      queryKey: ["arrows", id],
      queryFn: () => dataOf(api.GET("/api/jobs/{job_id}/arrows", { params: { path: { job_id: id } } })),
    }),

  history: (id: string) =>
    queryOptions({
      queryKey: ["history", id],
      queryFn: () => dataOf(api.GET("/api/jobs/{job_id}/history", { params: { path: { job_id: id } } })),
      select: (response) => response.items,
    }),

  logs: (id: string) =>
    queryOptions({
      queryKey: ["logs", id],
      queryFn: ({ client }) => readLogs(id, client.getQueryData<LogLine[]>(["logs", id]) ?? []),
    }),

  artifacts: (id: string) =>
    queryOptions({
      queryKey: ["artifacts", id],
      queryFn: () => dataOf(api.GET("/api/jobs/{job_id}/artifacts", { params: { path: { job_id: id } } })),
      select: (response) => response.items,
    }),

  hasPreview: (id: string) =>
    queryOptions({
      queryKey: ["artifacts", id],
      queryFn: () => dataOf(api.GET("/api/jobs/{job_id}/artifacts", { params: { path: { job_id: id } } })),
      select: (response) => response.preview !== null,
    }),

  workers: (room: string | null) =>
    queryOptions({
      queryKey: ["workers", room],
      queryFn: () =>
        room === null
          ? dataOf(api.GET("/api/workers"))
          : dataOf(api.GET("/api/rooms/{room}/workers", { params: { path: { room } } })),
      select: (response) => response.items,
    }),

  chat: (room: string) =>
    infiniteQueryOptions({
      queryKey: ["chat", room],
      queryFn: ({ pageParam: cursor }) =>
        dataOf(api.GET("/api/rooms/{room}/chat", { params: { path: { room }, query: { cursor } } })),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
    }),

  files: (room: string) =>
    queryOptions({
      queryKey: ["files", room],
      queryFn: () =>
        dataOf(api.GET("/api/rooms/{room}/files", { params: { path: { room }, query: { limit: 100 } } })),
      select: (response) => response.items,
    }),
};

/** A job that moves between the two requests may be in both. */
async function fetchActive(room: string, extension: string): Promise<Job[]> {
  const read = (status: "running" | "queued") =>
    dataOf(
      api.GET("/api/rooms/{room}/jobs", {
        params: { path: { room }, query: { extension, status, limit: 50 } },
      }),
    );
  const [queued, running] = await Promise.all([read("queued"), read("running")]);
  const jobs = [...queued.items, ...running.items];
  return [...new Map(jobs.map((job) => [job.id, job])).values()];
}

/** Reads only the lines that are not cached yet. */
async function readLogs(id: string, cached: LogLine[]): Promise<LogLine[]> {
  const lines = [...cached];
  let after: number | null = lines.at(-1)?.seq ?? 0;
  while (after !== null) {
    const page: { items: LogLine[]; next_after: number | null } = await dataOf(
      api.GET("/api/jobs/{job_id}/logs", { params: { path: { job_id: id }, query: { after } } }),
    );
    lines.push(...page.items);
    after = page.next_after;
  }
  return lines;
}

/** The columns that are numbers, by key. */
async function fetchColumns(room: string, keys: string[], step: number): Promise<Map<string, Float64Array>> {
  const message = await dataOf(
    api.GET("/api/rooms/{room}/frames/columns", {
      params: { path: { room }, query: { keys: keys.join(","), step } },
      parseAs: "arrayBuffer",
    }),
  );
  const found = new Map<string, Float64Array>();
  for (const column of decodeFrames(message as ArrayBuffer).flatMap((block) => block.columns)) {
    const numbers = numbersOf(column);
    if (numbers) found.set(column.key, numbers);
  }
  return found;
}

async function fetchDocument(room: string, key: string): Promise<DocumentValue> {
  const { data, response } = await api.GET("/api/rooms/{room}/state/{key}", {
    params: { path: { room, key } },
  });
  return { value: data, etag: response.headers.get("ETag") ?? "" };
}
