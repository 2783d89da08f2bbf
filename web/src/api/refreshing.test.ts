import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refreshing } from "./refreshing";

const KEY = ["chat", "r"];

let asked = 0;
let answers: (() => void)[] = [];
let client: QueryClient;
let leave: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  [asked, answers] = [0, []];
  client = new QueryClient();
  const ask = () => {
    const number = ++asked;
    return new Promise<number>((resolve) => answers.push(() => resolve(number)));
  };
  leave = new QueryObserver(client, { queryKey: KEY, queryFn: ask }).subscribe(() => {});
});

afterEach(() => {
  leave();
  vi.useRealTimers();
});

const answer = async () => {
  answers.shift()?.();
  await vi.advanceTimersByTimeAsync(0);
};

test("what changes while the first answer is under way is asked for once more", async () => {
  new Refreshing(client).soon(KEY);
  await answer();
  expect(client.getQueryData(KEY)).toBe(1);

  await vi.advanceTimersByTimeAsync(1000);
  await answer();

  expect(client.getQueryData(KEY)).toBe(2);
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked).toBe(2);
});

test("a slow answer is not cut off by a storm of changes", async () => {
  const refreshing = new Refreshing(client);
  await answer();
  for (let turn = 0; turn < 50; turn++) {
    refreshing.soon(KEY);
    await vi.advanceTimersByTimeAsync(100);
  }

  expect(asked).toBe(2);
  await answer();
  expect(client.getQueryData(KEY)).toBe(2);
});

test("a change is asked for at once, and those right after it together", async () => {
  const refreshing = new Refreshing(client);
  await answer();
  for (let turn = 0; turn < 5; turn++) refreshing.soon(KEY);
  expect(asked).toBe(2);
  await answer();

  await vi.advanceTimersByTimeAsync(1000);

  expect(asked).toBe(3);
});
