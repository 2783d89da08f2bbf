import { describe, expect, it } from "vitest";
import type { ActivityPoint, ExtensionActivity } from "@/api/schema";
import { busiest, failureRate, failureRates, percent, ratesOf } from "./activity";

const point = (completed: number, failed: number, minutes: number): ActivityPoint => ({
  at: "2026-01-01T00:00:00Z",
  duration_ms: minutes * 60_000,
  completed,
  failed,
  cancelled: 5,
  pending: 0,
  wait_time_ms: null,
  execution_time_ms: null,
});

const tool = (name: string, pending: number, completed: number[], failed: number[]): ExtensionActivity => ({
  scope: "public",
  name,
  pending,
  oldest_ms: null,
  paused: false,
  circuit_open: false,
  completed,
  failed,
  failure_rate: null,
});

describe("activity", () => {
  it("counts jobs per minute, however long a point is", () => {
    expect(ratesOf([point(8, 2, 1), point(15, 5, 10)])).toEqual([10, 2]);
  });

  it("leaves cancelled jobs out of the share of failures", () => {
    expect(failureRate([point(3, 1, 1), point(0, 0, 1)])).toBe(0.25);
    expect(failureRate([point(0, 0, 1)])).toBeNull();
  });

  it("has no share where nothing ended", () => {
    expect(failureRates(tool("a", 0, [1, 0, 0], [1, 0, 2]))).toEqual([0.5, null, 1]);
  });

  it("lists long queues first, then what did the most", () => {
    const tools = [tool("idle", 0, [0], [0]), tool("quick", 0, [9], [0]), tool("stuck", 3, [0], [0])];
    expect(busiest(tools).map(({ name }) => name)).toEqual(["stuck", "quick", "idle"]);
  });

  it("never shows a rare failure as none", () => {
    expect([percent(null), percent(0), percent(0.001), percent(0.255)]).toEqual([
      "–",
      "0 %",
      "< 1 %",
      "26 %",
    ]);
  });
});
