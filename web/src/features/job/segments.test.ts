import { describe, expect, it } from "vitest";
import type { Job } from "@/api/schema";
import { segmentsOf } from "./segments";

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
