import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { eventHandlers } from "./eventHandlers";
import { queries } from "./queries";
import type { Job, JobPage, Transition } from "./schema";

vi.hoisted(() => {
  vi.stubGlobal("window", { location: { origin: "http://localhost" } });
  vi.stubGlobal("document", { querySelector: () => null });
});

const job = { id: "a", version: 1, status: "pending" } as Job;
const PAGE: JobPage = { items: [job], next_cursor: null };
let client: QueryClient;
let observed: (() => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
});

afterEach(() => {
  for (const stop of observed) stop();
  observed = [];
  vi.useRealTimers();
});

function listed(filter: { q?: string }) {
  const { queryKey } = queries.jobs("lab", filter);
  const list = { requests: 0, first: () => client.getQueryData(queryKey)?.pages[0]?.items[0] };
  const queryFn = async () => {
    list.requests += 1;
    return { pages: [PAGE], pageParams: [undefined] };
  };
  observed.push(new QueryObserver(client, { queryKey, queryFn }).subscribe(() => {}));
  return list;
}

const step = (version: number) =>
  ({ job_id: "a", version, status: "running", room: "lab", completed_at: null }) as Transition;

test("a busy room refetches a list at once and a search rarely, whose rows move on nevertheless", async () => {
  const [list, search] = [listed({}), listed({ q: "window>5" })];
  await vi.advanceTimersByTimeAsync(0);
  const handle = eventHandlers(client);
  expect([list.requests, search.requests]).toEqual([1, 1]);

  handle["job:state_changed"]([step(2)]);
  expect(search.first()).toMatchObject({ version: 2, status: "running" });
  for (let version = 3; version < 303; version++) {
    await vi.advanceTimersByTimeAsync(200);
    handle["job:state_changed"]([step(version)]);
  }

  expect(list.requests).toBeGreaterThan(60);
  expect(search.requests).toBe(3);
  expect(search.first()?.version).toBeGreaterThan(250);
});
