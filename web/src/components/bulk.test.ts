import { expect, test } from "vitest";
import type { Annotation, JobEntries } from "@/api/schema";
import { areStarred, outcomeOf } from "./bulk";

const job = { job: { id: "a", status: "cancelled" } };
const refused = (detail: string) => ({ error: { detail, title: "", code: "forbidden" } });
const entries = (...items: object[]) => items as JobEntries["items"];

test("an action is reported with the number of jobs", () => {
  expect(outcomeOf("cancel", entries(job))).toBe("1 job cancelled.");
  expect(outcomeOf("retry", entries(job, job, job))).toBe("3 jobs submitted again.");
});

test("refused jobs are counted by their reasons", () => {
  const items = entries(job, refused("not yours"), refused("it has ended"), refused("not yours"));
  expect(outcomeOf("cancel", items)).toBe("1 job cancelled. 2 refused: not yours. 1 refused: it has ended.");
});

test("only jobs that all have a star can lose it", () => {
  const jobs = [
    { id: "a", annotation: { starred: true } as Annotation },
    { id: "b", annotation: { starred: false } as Annotation },
    { id: "c", annotation: null },
    { id: "d", annotation: { starred: true } as Annotation },
  ];
  expect(areStarred(["a", "d"], jobs)).toBe(true);
  expect(areStarred(["a", "b"], jobs)).toBe(false);
  expect(areStarred(["a", "c"], jobs)).toBe(false);
  expect(areStarred(["a", "not listed"], jobs)).toBe(false);
});
