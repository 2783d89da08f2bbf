import { expect, test } from "vitest";
import type { Job } from "@/api/schema";
import { inTurn } from "./inTurn";

function job(id: string, status: Job["status"], minute: number, queue_position: number | null = null) {
  return { id, status, queue_position, created_at: `2026-01-01T00:0${minute}:00Z` };
}

test("running jobs come first, then the queue in its order", () => {
  const jobs = [
    job("last", "pending", 1, 7),
    job("next", "pending", 5, 0),
    job("new", "pending", 6),
    job("starting", "assigned", 3),
    job("young", "running", 2),
    job("old", "running", 0),
  ];

  expect(inTurn(jobs).map(({ id }) => id)).toEqual(["old", "young", "starting", "next", "last", "new"]);
});
