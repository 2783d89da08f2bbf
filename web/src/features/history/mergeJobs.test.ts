import { expect, test } from "vitest";
import type { Job, JobState } from "@/api/schema";
import { mergeJobs } from "./mergeJobs";

const jobs = (...ids: number[]) => ids.map((id) => ({ id: String(id), status: "failed" as JobState }) as Job);
const ids = (rows: Job[]) => rows.map((job) => Number(job.id));

test("newest jobs replace their older versions", () => {
  const { rows, hasGap } = mergeJobs(jobs(5, 4, 3), jobs(4, 3, 2, 1));
  expect(ids(rows)).toEqual([5, 4, 3, 2, 1]);
  expect(hasGap).toBe(false);
});

test("without an overlap there is a gap", () => {
  expect(mergeJobs(jobs(9, 8), jobs(4, 3)).hasGap).toBe(true);
  expect(mergeJobs(jobs(9, 8), []).hasGap).toBe(false);
});

test("jobs that left the filtered state are removed", () => {
  expect(ids(mergeJobs(jobs(3), jobs(3, 2), "pending").rows)).toEqual([3]);
});
