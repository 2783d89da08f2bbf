import { expect, test } from "vitest";
import { queueStatsOf } from "./queueStats";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
const job = (created: number, assigned: number | null, completed: number | null) => ({
  created_at: new Date(created).toISOString(),
  assigned_at: time(assigned),
  completed_at: time(completed),
});

test("a job is in the queue from its submission until it is assigned", () => {
  const { depth, depthNow } = queueStatsOf([job(0, HOUR / 2, null)], HOUR, true);
  expect(depth).toHaveLength(30);
  expect(depth.slice(0, 14).every((each) => each === 1)).toBe(true);
  expect(depth.slice(15).every((each) => each === 0)).toBe(true);
  expect(depthNow).toBe(0);
});

test("a job cancelled while pending has left the queue, a pending one has not", () => {
  expect(queueStatsOf([job(0, null, MINUTE), job(0, null, null)], HOUR, true).depthNow).toBe(1);
});

test("a job submitted after the last clock tick counts as pending", () => {
  expect(queueStatsOf([job(HOUR + 1, null, null)], HOUR, true).depthNow).toBe(1);
});

test("finished jobs are counted per minute", () => {
  const jobs = [5, 15, 25].map((minute) => job(0, 0, minute * MINUTE));
  const { perMinute, finishedPerMinute } = queueStatsOf(jobs, HOUR, true);
  expect(perMinute.filter((each) => each === 0.5)).toHaveLength(3);
  expect(finishedPerMinute).toBeCloseTo(3 / 60);
});

test("the wait is the median, and null where no job was assigned", () => {
  const jobs = [1, 3, 50].map((seconds) => job(HOUR - MINUTE - seconds * 1000, HOUR - MINUTE, null));
  const { waitMs, medianWaitMs } = queueStatsOf(jobs, HOUR, true);
  expect(waitMs.at(-1)).toBe(3000);
  expect(waitMs.slice(0, -1).every((each) => each === null)).toBe(true);
  expect(medianWaitMs).toBe(3000);
});

test("the chart starts at the oldest known job", () => {
  expect(queueStatsOf([job(HOUR - 12 * MINUTE, null, null)], HOUR, false).minutes).toBe(12);
  expect(queueStatsOf([job(HOUR - 10, null, null)], HOUR, false).minutes).toBe(1);
  expect(queueStatsOf([], HOUR, true)).toMatchObject({ minutes: 60, depthNow: 0, medianWaitMs: null });
});
