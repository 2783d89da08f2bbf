import { expect, test } from "vitest";
import type { Job } from "@/api/schema";
import { announcementsOf } from "./announce";
import { iconOf } from "./favicon";

function job(id: string, status: Job["status"], error: Partial<Job["error"]> = null): Job {
  return { id, room: "lab", name: "EstimatePi", status, execution_time_ms: 1200, error } as Job;
}

test("a notification names the tool and how its job ended", () => {
  expect(announcementsOf([job("1", "completed")])).toEqual([
    { title: "Estimate pi completed", body: "in lab, after 1.2 s", tag: "1", path: "/rooms/lab/jobs/1" },
  ]);
  const failure = job("2", "failed", { type: "ValueError", message: "slipped" });
  expect(announcementsOf([failure])[0]?.body).toBe("in lab, after 1.2 s\nValueError: slipped");
});

test("many jobs share one notification", () => {
  const jobs = ["1", "2", "3", "4"].map((id) => job(id, "completed"));
  expect(announcementsOf([...jobs, job("5", "failed")])).toMatchObject([
    { title: "5 jobs ended", body: "1 failed" },
  ]);
});

test("the icon changes with each twentieth, and with a mark", () => {
  expect(iconOf(null, null)).toBe("/icon.svg");
  expect(iconOf(0.41, null)).toBe(iconOf(0.39, null));
  expect(iconOf(0.41, null)).not.toBe(iconOf(0.61, null));
  expect(decodeURIComponent(iconOf(null, "failed"))).toContain("#e03131");
});
