import { describe, expect, test } from "vitest";
import type { Progress } from "@/api/schema";
import { meanFraction, type Shown, tabStatus } from "./tabStatus";

function job(status: Shown["status"], progress: Partial<Progress> | null = null): Shown {
  return { id: "1", name: "EstimatePi", status, progress: progress as Progress | null };
}

describe("the title of the tab", () => {
  test("is the page's own while nothing runs", () => {
    expect(tabStatus([], [])).toBe("");
    expect(tabStatus([job("completed")], [])).toBe("");
  });

  test("has the progress of one job, or its state", () => {
    expect(tabStatus([job("running", { fraction: 0.429 })], [])).toBe("42 %");
    expect(tabStatus([job("running", { current: 1, total: 4 })], [])).toBe("25 %");
    expect(tabStatus([job("running", { current: 1 })], [])).toBe("1 running");
    expect(tabStatus([job("pending")], [])).toBe("1 waiting");
  });

  test("counts several jobs and has their mean progress", () => {
    const jobs = [job("running", { fraction: 0.2 }), job("running", { fraction: 0.6 }), job("pending")];

    expect(meanFraction(jobs)).toBeCloseTo(0.4);
    expect(tabStatus(jobs, [])).toBe("2 running, 1 waiting, 40 %");
    expect(tabStatus([job("pending"), job("assigned")], [])).toBe("2 waiting");
  });

  test("marks what ended while nobody looked", () => {
    expect(tabStatus([], [job("completed")])).toBe("✓ Estimate pi");
    expect(tabStatus([], [job("completed"), job("failed")])).toBe("✗ 2 jobs ended");
    expect(tabStatus([job("running", { fraction: 0.5 })], [job("completed")])).toBe("✓ 50 %");
  });
});
