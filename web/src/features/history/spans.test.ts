import { expect, test } from "vitest";
import { spansOf, spansText } from "./spans";

const time = (seconds: number) => new Date(seconds * 1000).toISOString();
const times = (...seconds: (number | null)[]) => {
  const [created_at = null, assigned_at = null, started_at = null, completed_at = null] = seconds.map(
    (each) => (each === null ? null : time(each)),
  );
  return { created_at: created_at ?? "", assigned_at, started_at, completed_at };
};
const ms = (...args: Parameters<typeof spansOf>) => spansOf(...args).map((span) => span.ms);

test("a finished job has a time for each state", () => {
  expect(ms(times(0, 2, 3, 9), 99_000)).toEqual([2000, 1000, 6000]);
});

test("the current state lasts until now", () => {
  expect(ms(times(0, 2, 3), 10_000)).toEqual([2000, 1000, 7000]);
  expect(ms(times(4), 10_000)).toEqual([6000, null, null]);
});

test("a job cancelled while pending has only waited", () => {
  expect(ms(times(0, null, null, 5), 99_000)).toEqual([5000, null, null]);
});

test("a clock that is behind gives no negative time", () => {
  expect(ms(times(10), 4000)).toEqual([0, null, null]);
});

test("the text leaves out states that the job never was in", () => {
  expect(spansText(spansOf(times(0, 2, 3, 9), 0))).toBe("waited 2.0 s, assigned 1.0 s, ran 6.0 s");
  expect(spansText(spansOf(times(0, null, null, 5), 0))).toBe("waited 5.0 s");
});
