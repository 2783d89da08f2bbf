import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refetcher } from "./refetcher";

const KEY = ["chat", "r"];

let requests = 0;
let responses: (() => void)[] = [];
let client: QueryClient;
let unsubscribe: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  [requests, responses] = [0, []];
  client = new QueryClient();
  const fetchNumber = () => {
    const number = ++requests;
    return new Promise<number>((resolve) => responses.push(() => resolve(number)));
  };
  unsubscribe = new QueryObserver(client, { queryKey: KEY, queryFn: fetchNumber }).subscribe(() => {});
});

afterEach(() => {
  unsubscribe();
  vi.useRealTimers();
});

const respond = async () => {
  responses.shift()?.();
  await vi.advanceTimersByTimeAsync(0);
};

test("a change during the first request leads to a second request", async () => {
  new Refetcher(client).refetch(KEY);
  await respond();
  expect(client.getQueryData(KEY)).toBe(1);

  await vi.advanceTimersByTimeAsync(1000);
  await respond();

  expect(client.getQueryData(KEY)).toBe(2);
  await vi.advanceTimersByTimeAsync(5000);
  expect(requests).toBe(2);
});

test("a burst of changes does not cancel a slow request", async () => {
  const refetcher = new Refetcher(client);
  await respond();
  for (let change = 0; change < 50; change++) {
    refetcher.refetch(KEY);
    await vi.advanceTimersByTimeAsync(100);
  }

  expect(requests).toBe(2);
  await respond();
  expect(client.getQueryData(KEY)).toBe(2);
});

test("the first change is fetched at once, and those right after it together", async () => {
  const refetcher = new Refetcher(client);
  await respond();
  for (let change = 0; change < 5; change++) refetcher.refetch(KEY);
  expect(requests).toBe(2);
  await respond();

  await vi.advanceTimersByTimeAsync(1000);

  expect(requests).toBe(3);
});
