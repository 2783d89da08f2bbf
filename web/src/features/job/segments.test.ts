import { describe, expect, it } from "vitest";
import type { Job } from "@/api/schema";
import { segmentsOf, sharesOf } from "./segments";

const at = (second: number) => new Date(second * 1000).toISOString();
const job = (status: Job["status"], ...[assigned, started, completed]: (number | null)[]) => ({
  status,
  created_at: at(0),
  assigned_at: assigned == null ? null : at(assigned),
  started_at: started == null ? null : at(started),
  completed_at: completed == null ? null : at(completed),
});
const phases = (segments: ReturnType<typeof segmentsOf>) => segments.map((each) => each.phase).join(" ");

describe("segmentsOf", () => {
  it("starts at pending", () => {
    const segments = segmentsOf(job("pending"));
    expect(phases(segments)).toBe("now ahead ahead ahead");
    expect(segments[0]?.sinceOrMs).toBe(at(0));
  });

  it("gives lengths of past segments and the start of the current one", () => {
    const segments = segmentsOf(job("running", 2, 3));
    expect(phases(segments)).toBe("past past now ahead");
    expect(segments.map((each) => each.sinceOrMs)).toEqual([2000, 1000, at(3), null]);
  });

  it("ends with the terminal state", () => {
    const segments = segmentsOf(job("failed", 1, 2, 5));
    expect(phases(segments)).toBe("past past past past");
    expect(segments[3]).toMatchObject({ status: "failed", label: "failed" });
  });

  it("leaves out states that an early cancelled job never reached", () => {
    const segments = segmentsOf(job("cancelled", null, null, 4));
    expect(phases(segments)).toBe("past ahead ahead past");
    expect(segments[0]?.sinceOrMs).toBe(4000);
  });

  it("forgets earlier attempts of a retried job", () => {
    expect(phases(segmentsOf(job("pending", 1, 2)))).toBe("now ahead ahead ahead");
  });
});

describe("sharesOf", () => {
  it("is proportional to time", () => {
    expect(sharesOf(segmentsOf(job("completed", 1, 2, 10)), 0)).toEqual([0.1, 0.1, 0.8, 0]);
    expect(sharesOf(segmentsOf(job("running", 1, 2)), 4000)).toEqual([0.25, 0.25, 0.5, 0]);
  });

  it("is nothing before any time has passed", () => {
    expect(sharesOf(segmentsOf(job("pending")), 0)).toEqual([0, 0, 0, 0]);
  });
});
