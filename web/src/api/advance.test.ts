import { expect, test } from "vitest";
import { advance } from "./advance";
import type { Job, JobState, Transition } from "./schema";

function job(id: string, status: JobState, queue_position: number | null = null): Job {
  return { id, room: "lab", user: "ada", status, version: 1, queue_position, completed_at: null } as Job;
}

function step(job_id: string, status: JobState, version = 2): Transition {
  const completed_at = ["completed", "failed", "cancelled"].includes(status) ? "2026-01-01T00:00:00Z" : null;
  return {
    job_id,
    status,
    version,
    completed_at,
    room: "lab",
    actor: "ada",
    at: completed_at,
  } as unknown as Transition;
}

const jobs = [job("a", "running"), job("b", "pending", 0), job("c", "pending", 1), job("d", "pending", 2)];

test("a job that starts moves those behind it up", () => {
  const found = advance(jobs, [step("b", "assigned"), step("b", "running", 3)]);

  expect(found.map(({ id, status, queue_position }) => [id, status, queue_position])).toEqual([
    ["a", "running", null],
    ["b", "running", null],
    ["c", "pending", 0],
    ["d", "pending", 1],
  ]);
});

test("a job that ends leaves the list, unless the list keeps it", () => {
  expect(advance(jobs, [step("a", "failed"), step("c", "cancelled")]).map(({ id }) => id)).toEqual([
    "b",
    "d",
  ]);
  expect(advance(jobs, [step("a", "failed")], 5).map(({ status }) => status)).toContain("failed");
});

test("steps of other jobs, and older ones, change nothing", () => {
  expect(advance(jobs, [step("x", "running")])).toBe(jobs);
  expect(advance(jobs, [step("a", "failed", 1)])).toEqual(jobs);
});
