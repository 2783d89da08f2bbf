import { expect, test } from "vitest";
import type { Job, JobPage, Transition } from "./schema";
import { applyTransitions } from "./transitions";

const job = (id: string): Job => ({ id, version: 1, status: "pending", assigned_at: null }) as Job;
const page = (...ids: string[]): JobPage => ({ items: ids.map(job), next_cursor: null });
const transition = (job_id: string, version: number, status: Transition["status"]): Transition => ({
  job_id,
  version,
  status,
  at: `2026-01-01T00:00:0${version}Z`,
  created_at: "2026-01-01T00:00:00Z",
  started_at: null,
  completed_at: null,
  actor: "ada",
  attempt: 1,
  reason: null,
  room: "r",
  worker: "w",
});

test("all transitions of a job are applied, and only its page changes", () => {
  const known = { pages: [page("a", "b"), page("c")], pageParams: [undefined, 3] };

  const next = applyTransitions(known, [transition("a", 2, "assigned"), transition("a", 3, "running")]);

  expect(next.pages[0]?.items[0]).toMatchObject({
    status: "running",
    assigned_at: "2026-01-01T00:00:02Z",
    started_at: "2026-01-01T00:00:03Z",
  });
  expect(next.pages[1]).toBe(known.pages[1]);
});

test("an old transition changes nothing", () => {
  const known = { pages: [page("a")], pageParams: [undefined] };
  expect(applyTransitions(known, [transition("a", 1, "failed")]).pages[0]?.items[0]?.status).toBe("pending");
});
