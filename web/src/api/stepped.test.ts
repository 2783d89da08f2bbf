import { expect, test } from "vitest";
import type { Job, JobPage, Transition } from "./schema";
import { stepped } from "./stepped";

const job = (id: string): Job => ({ id, version: 1, status: "pending", assigned_at: null }) as Job;
const page = (...ids: string[]): JobPage => ({ items: ids.map(job), next_cursor: null });
const step = (job_id: string, version: number, status: Transition["status"]): Transition => ({
  job_id,
  version,
  status,
  at: `2026-01-01T00:00:0${version}Z`,
  actor: "ada",
  attempt: 1,
  reason: null,
  room: "r",
  worker: "w",
});

test("a job moves through all steps that were heard, and its page alone is new", () => {
  const known = { pages: [page("a", "b"), page("c")], pageParams: [undefined, 3] };

  const next = stepped(known, [step("a", 2, "assigned"), step("a", 3, "running")]);

  expect(next.pages[0]?.items[0]).toMatchObject({
    status: "running",
    assigned_at: "2026-01-01T00:00:02Z",
    started_at: "2026-01-01T00:00:03Z",
  });
  expect(next.pages[1]).toBe(known.pages[1]);
});

test("an old step changes nothing", () => {
  const known = { pages: [page("a")], pageParams: [undefined] };
  expect(stepped(known, [step("a", 1, "failed")]).pages[0]?.items[0]?.status).toBe("pending");
});
