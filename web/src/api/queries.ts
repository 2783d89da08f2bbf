/** Every question that the page asks the server, and the key that its answer is kept under. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, got } from "./client";
import { hasCode } from "./problem";
import type { JobState, LogLine } from "./schema";

const WAITING_MS = 5000;

export interface JobFilter {
  status?: JobState;
  extension?: string;
  user?: string;
}

export interface ExtensionId {
  category: string;
  name: string;
}

export const queries = {
  me: () =>
    queryOptions({
      queryKey: ["me"],
      queryFn: () =>
        got(api.GET("/api/users/me")).catch((error) => {
          if (hasCode(error, "unauthenticated")) return null;
          throw error;
        }),
      staleTime: Number.POSITIVE_INFINITY,
    }),

  rooms: () =>
    infiniteQueryOptions({
      queryKey: ["rooms"],
      queryFn: ({ pageParam }) => got(api.GET("/api/rooms", { params: { query: { after: pageParam } } })),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_after ?? undefined,
    }),

  room: (room: string) =>
    queryOptions({
      queryKey: ["room", room],
      queryFn: () => got(api.GET("/api/rooms/{room}", { params: { path: { room } } })),
    }),

  members: (room: string) =>
    queryOptions({
      queryKey: ["room", room, "members"],
      queryFn: () => got(api.GET("/api/rooms/{room}/members", { params: { path: { room } } })),
    }),

  extensions: (room: string) =>
    queryOptions({
      queryKey: ["extensions", room],
      queryFn: () => got(api.GET("/api/rooms/{room}/extensions", { params: { path: { room } } })),
      select: (answer) => answer.items,
    }),

  values: (room: string, { category, name }: ExtensionId) =>
    queryOptions({
      queryKey: ["values", room, category, name],
      queryFn: () =>
        got(
          api.GET("/api/rooms/{room}/extensions/{category}/{name}/data", {
            params: { path: { room, category, name } },
          }),
        ),
      select: (answer) => answer.data,
    }),

  jobs: (room: string, filter: JobFilter = {}, limit = 50) =>
    infiniteQueryOptions({
      queryKey: ["jobs", room, filter, limit],
      queryFn: ({ pageParam: cursor }) =>
        got(
          api.GET("/api/rooms/{room}/jobs", {
            params: { path: { room }, query: { ...filter, cursor, limit } },
          }),
        ),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
    }),

  /** Whole pages of the past are not asked for again at each event: what moves in them is told by it. */
  pastJobs: (room: string, filter: JobFilter) =>
    infiniteQueryOptions({
      queryKey: ["past", room, filter],
      queryFn: ({ pageParam: cursor }) =>
        got(
          api.GET("/api/rooms/{room}/jobs", {
            params: { path: { room }, query: { ...filter, cursor, limit: 200 } },
          }),
        ),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      refetchOnWindowFocus: false,
    }),

  /** The newest of all rooms, for admins. */
  everyJob: (limit: number) =>
    queryOptions({
      queryKey: ["jobs", null, limit],
      queryFn: () => got(api.GET("/api/jobs", { params: { query: { limit } } })),
      select: (answer) => answer.items,
      // Of other rooms one hears what their workers do, but not of a job that only waits there.
      refetchInterval: WAITING_MS,
    }),

  workerJobs: (worker: string) =>
    queryOptions({
      queryKey: ["jobs", { worker }],
      queryFn: () =>
        got(api.GET("/api/workers/{worker_id}/jobs", { params: { path: { worker_id: worker } } })),
      select: (answer) => answer.items,
    }),

  job: (id: string) =>
    queryOptions({
      queryKey: ["job", id],
      queryFn: () => got(api.GET("/api/jobs/{job_id}", { params: { path: { job_id: id } } })),
      // Its place may change by what happens in other rooms, of which this page hears nothing.
      refetchInterval: ({ state }) => (state.data?.status === "pending" ? WAITING_MS : false),
    }),

  history: (id: string) =>
    queryOptions({
      queryKey: ["history", id],
      queryFn: () => got(api.GET("/api/jobs/{job_id}/history", { params: { path: { job_id: id } } })),
      select: (answer) => answer.items,
    }),

  logs: (id: string) =>
    queryOptions({
      queryKey: ["logs", id],
      queryFn: ({ client }) => readLogs(id, client.getQueryData<LogLine[]>(["logs", id]) ?? []),
    }),

  artifacts: (id: string) =>
    queryOptions({
      queryKey: ["artifacts", id],
      queryFn: () => got(api.GET("/api/jobs/{job_id}/artifacts", { params: { path: { job_id: id } } })),
      select: (answer) => answer.items,
    }),

  workers: (room: string | null) =>
    queryOptions({
      queryKey: ["workers", room],
      queryFn: () =>
        room === null
          ? got(api.GET("/api/workers"))
          : got(api.GET("/api/rooms/{room}/workers", { params: { path: { room } } })),
      select: (answer) => answer.items,
    }),

  chat: (room: string) =>
    infiniteQueryOptions({
      queryKey: ["chat", room],
      queryFn: ({ pageParam: cursor }) =>
        got(api.GET("/api/rooms/{room}/chat", { params: { path: { room }, query: { cursor } } })),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
    }),

  files: (room: string) =>
    queryOptions({
      queryKey: ["files", room],
      queryFn: () =>
        got(api.GET("/api/rooms/{room}/files", { params: { path: { room }, query: { limit: 100 } } })),
      select: (answer) => answer.items,
    }),
};

/** Only what is not known yet is asked for. */
async function readLogs(id: string, known: LogLine[]): Promise<LogLine[]> {
  const lines = [...known];
  let after: number | null = lines.at(-1)?.seq ?? 0;
  while (after !== null) {
    const page: { items: LogLine[]; next_after: number | null } = await got(
      api.GET("/api/jobs/{job_id}/logs", { params: { path: { job_id: id }, query: { after } } }),
    );
    lines.push(...page.items);
    after = page.next_after;
  }
  return lines;
}
