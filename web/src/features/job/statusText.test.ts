import { expect, test } from "vitest";
import type { Job } from "@/api/schema";
import { reason } from "./statusText";

type Waiting = NonNullable<Job["waiting_for"]>;

const NOTHING = { key: null, until: null, job: null, group: null, count: null };

function reasonFor(waiting: Partial<Waiting> & Pick<Waiting, "code">): string | null {
  return reason({ waiting_for: { ...NOTHING, ...waiting } } as Job);
}

const UNTIL = "2026-01-20T12:00:00Z";

test.each([
  [{ code: "rate", key: "leonardo", until: UNTIL }, /limit for “leonardo” is reached.*can start at/],
  [{ code: "run_at", until: UNTIL }, /for a later time.*can start on.*2026/],
  [{ code: "after", job: "1", count: 1 }, /after another job/],
  [{ code: "after", group: "grp_1", count: 1 }, /after another group/],
  [{ code: "after", job: "1", count: 3 }, /after 3 others/],
  [{ code: "paused", group: "grp_1" }, /group is paused/],
  [{ code: "paused" }, /tool is paused/],
  [{ code: "answer" }, /asked a question/],
  [{ code: "children", job: "1" }, /a job that it submitted/],
  [{ code: "children", group: "grp_1" }, /a group that it submitted/],
] as const)("%j is explained in words", (waiting, words) => {
  expect(reasonFor(waiting)).toMatch(words);
});

test("a job that waits for nothing has no reason", () => {
  expect(reason({ waiting_for: null } as Job)).toBeNull();
});
