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

describe("the bar of a job", () => {
  it("stands at waiting when it is submitted", () => {
    const segments = segmentsOf(job("pending"));
    expect(phases(segments)).toBe("now ahead ahead ahead");
    expect(segments[0]?.sinceOrMs).toBe(at(0));
  });

  it("measures what is over and ticks what is not", () => {
    const segments = segmentsOf(job("running", 2, 3));
    expect(phases(segments)).toBe("past past now ahead");
    expect(segments.map((each) => each.sinceOrMs)).toEqual([2000, 1000, at(3), null]);
  });

  it("ends in the colour of its end", () => {
    const segments = segmentsOf(job("failed", 1, 2, 5));
    expect(phases(segments)).toBe("past past past past");
    expect(segments[3]).toMatchObject({ status: "failed", label: "failed" });
  });

  it("leaves out what a job that was cancelled early never reached", () => {
    const segments = segmentsOf(job("cancelled", null, null, 4));
    expect(phases(segments)).toBe("past ahead ahead past");
    expect(segments[0]?.sinceOrMs).toBe(4000);
  });

  it("has no past of a retried job that waits again", () => {
    expect(phases(segmentsOf(job("pending", 1, 2)))).toBe("now ahead ahead ahead");
  });
});
