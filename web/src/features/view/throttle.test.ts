import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Throttle } from "./throttle";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp() {
  const calls: number[] = [];
  return { calls, throttle: new Throttle<number>((value) => calls.push(value), 100) };
}

it("calls at once, and then with the newest value after a while", () => {
  const { calls, throttle } = setUp();
  for (const value of [1, 2, 3]) throttle.call(value);
  expect(calls).toEqual([1]);
  vi.advanceTimersByTime(100);
  expect(calls).toEqual([1, 3]);
  throttle.call(4);
  expect(calls).toEqual([1, 3]);
  vi.advanceTimersByTime(100);
  expect(calls).toEqual([1, 3, 4]);
});

it("calls at once again when nothing was wanted for a while", () => {
  const { calls, throttle } = setUp();
  throttle.call(1);
  vi.advanceTimersByTime(100);
  throttle.call(2);
  expect(calls).toEqual([1, 2]);
});

it("is flushed with what is waiting, once", () => {
  const { calls, throttle } = setUp();
  throttle.call(1);
  throttle.call(2);
  throttle.flush();
  vi.advanceTimersByTime(1000);
  expect(calls).toEqual([1, 2]);
});

it("forgets what was overtaken", () => {
  const { calls, throttle } = setUp();
  throttle.call(1);
  throttle.call(2);
  throttle.forget();
  vi.advanceTimersByTime(1000);
  expect(calls).toEqual([1]);
});
