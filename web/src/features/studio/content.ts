/** What the media pack keeps in a room, and the queries for it. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import { requestJson } from "@/api/requestJson";
import type { Values } from "@/components/draft";
import type { Action } from "./actions";

export const GENERATE = { category: "media", name: "Generate" };

export interface Order {
  provider: string;
  action: Action;
  prompt: string;
  params: Record<string, unknown>;
  source: string;
  parent: string;
  seed: string;
}

export interface Content {
  id: string;
  job_id: string;
  user: string;
  index: number;
  request: Order;
  media_type: string;
  size: number;
  sha256: string;
  width: number;
  height: number;
  url: string;
  thumbnail_url: string | null;
  cost: number | null;
  unit: string;
  created_at: string;
}

export interface Generation {
  id: string;
  cost: number | null;
  job_id: string;
  user: string;
  request: Order;
  state: string;
  provider_task_id: string;
  error: { type: string; message: string } | null;
}

export interface Provider {
  name: string;
  concurrency: number;
  actions: Action[];
  params_schema: Record<string, unknown>;
  is_free: boolean;
  /** What begins with a result of this provider only. */
  own_sources: Action[];
  price: number | null;
  error: string | null;
}

export interface Spending {
  provider: string;
  month: string;
  spent: number;
  limit: number | null;
  unit: string;
}

export interface Estimate {
  amount: number | null;
  unit: string;
}

interface Page<T> {
  items: T[];
  next_cursor: number | null;
}

const USES_REFETCH_MS = 5000;
const PAGE = 60;
const RECENT = 100;

async function read<T>(path: string): Promise<T> {
  return (await requestJson(path)) as T;
}

export const media = {
  providers: () =>
    queryOptions({
      queryKey: ["media-providers"],
      queryFn: () => read<{ items: Provider[] }>("/api/packs/media/providers"),
      select: ({ items }) => items.filter(({ error }) => error === null),
      staleTime: Number.POSITIVE_INFINITY,
    }),

  spending: (room: string) =>
    queryOptions({
      queryKey: ["media", room, "spending"],
      queryFn: () => read<{ items: Spending[] }>(`/api/packs/media/${room}/spending`),
      select: ({ items }) => items,
    }),

  estimate: (room: string, provider: string, action: Action, params: Values) =>
    queryOptions({
      queryKey: ["media-estimate", room, provider, action, params],
      queryFn: async () =>
        (await requestJson(`/api/packs/media/${room}/estimate`, {
          method: "POST",
          json: { provider, action_type: action, params },
        })) as Estimate,
      staleTime: Number.POSITIVE_INFINITY,
      placeholderData: (before) => before,
    }),

  /** How many orders of each provider run and wait, in all rooms. */
  uses: (room: string) =>
    queryOptions({
      queryKey: ["media", room, "uses"],
      queryFn: () =>
        dataOf(
          api.GET("/api/rooms/{room}/extensions/{scope}/{category}/{name}/stats", {
            params: { path: { room, scope: "public", ...GENERATE } },
          }),
        ),
      select: ({ keys }) => keys,
      refetchInterval: USES_REFETCH_MS, // this page receives no events of other rooms
    }),

  content: (room: string, search: string) =>
    infiniteQueryOptions({
      queryKey: ["media", room, "content", search],
      queryFn: ({ pageParam }) => {
        const query = new URLSearchParams({ limit: String(PAGE) });
        if (search) query.set("q", search);
        if (pageParam) query.set("cursor", String(pageParam));
        return read<Page<Content>>(`/api/packs/media/${room}/content?${query}`);
      },
      initialPageParam: 0,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
      placeholderData: (before) => before,
    }),

  children: (room: string, parent: string) =>
    queryOptions({
      queryKey: ["media", room, "children", parent],
      queryFn: () => read<Page<Content>>(`/api/packs/media/${room}/content?parent=${parent}`),
      select: ({ items }) => items,
    }),

  /** Content by its id, wherever the gallery is. */
  one: (room: string, id: string) =>
    queryOptions({
      queryKey: ["media", room, "one", id],
      queryFn: () => read<Page<Content>>(`/api/packs/media/${room}/content?job_id=${jobOf(id)}`),
      select: ({ items }) => items.find((each) => each.id === id) ?? null,
    }),

  generations: (room: string) =>
    queryOptions({
      queryKey: ["media", room, "generations"],
      queryFn: () =>
        read<Page<{ body: Generation }>>(`/api/rooms/${room}/records/media-generations?limit=${RECENT}`),
      select: ({ items }) => items.map(({ body }) => body),
    }),
};

/** The job that has made it, which its id contains. */
function jobOf(contentId: string): string {
  return contentId.replace(/^gc_/, "").replace(/_\d+$/, "");
}

export function isVideo({ media_type }: Pick<Content, "media_type">): boolean {
  return media_type.startsWith("video/");
}
