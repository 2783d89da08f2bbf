import { expect, test } from "vitest";
import type { WorkerState } from "@/api/schema";
import { ranked } from "./ranked";

const worker = (name: string, state: WorkerState) => ({ id: name, name, state });

test("workers stand by name, whatever they do, and those who left stand last", () => {
  const workers = [worker("gpu-10", "idle"), worker("a", "offline"), worker("gpu-2", "running")];
  expect(ranked(workers).map(({ name }) => name)).toEqual(["gpu-2", "gpu-10", "a"]);
});
