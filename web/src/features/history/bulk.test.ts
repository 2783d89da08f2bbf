import { expect, test } from "vitest";
import type { JobEntries } from "@/api/schema";
import { outcomeOf } from "./bulk";

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
