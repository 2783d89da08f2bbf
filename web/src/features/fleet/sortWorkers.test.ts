import { expect, test } from "vitest";
import type { WorkerState } from "@/api/schema";
import { sortWorkers } from "./sortWorkers";

const worker = (name: string, state: WorkerState) => ({ id: name, name, state });

test("workers are sorted by name, offline ones last", () => {
  const workers = [worker("gpu-10", "idle"), worker("a", "offline"), worker("gpu-2", "running")];
  expect(sortWorkers(workers).map(({ name }) => name)).toEqual(["gpu-2", "gpu-10", "a"]);
});
