import { describe, expect, it } from "vitest";
import { availability, inRoom, type Listed, timeUntilStart } from "./busyness";

const job = (status: Listed["status"], provider: string, ms: number | null = null): Listed => ({
  status,
  data: { provider },
  execution_time_ms: ms,
});

describe("availability", () => {
  it("counts who is busy, who is ahead, and how long it takes", () => {
    const active = [
      job("running", "mj"),
      job("pending", "mj"),
      job("pending", "mj"),
      job("running", "local"),
    ];
    const ended = [job("completed", "mj", 10_000), job("completed", "local", 99_000)];
    expect(availability("mj", inRoom("mj", 1, active), ended)).toBe("1 of 1 busy, 2 ahead, about 40 s");
  });

  it("calls an idle provider free, and knows no time before the first end", () => {
    expect(availability("mj", inRoom("mj", 1, []), [])).toBe("free");
  });

  it("counts the orders of other rooms", () => {
    expect(availability("mj", { limit: 3, running: 3, waiting: 0 }, [])).toBe("3 of 3 busy");
  });
});

describe("timeUntilStart", () => {
  it("takes as many rounds as its provider needs for those ahead", () => {
    const ended = [job("completed", "mj", 10_000)];
    const waiting = { data: { provider: "mj" }, queue_position: 3 };
    expect(timeUntilStart(waiting, 1, ended)).toBe(40_000);
    expect(timeUntilStart(waiting, 2, ended)).toBe(20_000);
    expect(timeUntilStart(waiting, 1, [])).toBeNull();
  });
});
