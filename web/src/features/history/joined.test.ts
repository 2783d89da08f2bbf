import { expect, test } from "vitest";
import type { Job, JobState } from "@/api/schema";
import { joined } from "./joined";

const jobs = (...ids: number[]) => ids.map((id) => ({ id: String(id), status: "failed" as JobState }) as Job);
const ids = (rows: Job[]) => rows.map((job) => Number(job.id));

test("the newest take the place of what was known of them", () => {
  const { rows, hasGap } = joined(jobs(5, 4, 3), jobs(4, 3, 2, 1));
  expect(ids(rows)).toEqual([5, 4, 3, 2, 1]);
  expect(hasGap).toBe(false);
});

test("when nothing overlaps, some are missing in between", () => {
  expect(joined(jobs(9, 8), jobs(4, 3)).hasGap).toBe(true);
  expect(joined(jobs(9, 8), []).hasGap).toBe(false);
});

test("what has left the state that is asked for leaves the list", () => {
  expect(ids(joined(jobs(3), jobs(3, 2), "pending").rows)).toEqual([3]);
});
