import { expect, test } from "vitest";
import type { Group } from "@/api/schema";
import { inOrder, moved, QUEUE_TITLE, queuesOf } from "./queue";

const job = (
  id: string,
  status: "pending" | "running",
  queue_position: number | null,
  created_at: string,
) => ({
  id,
  status,
  queue_position,
  created_at,
});

test("jobs are listed as they run and start", () => {
  const jobs = [
    job("paused", "pending", null, "1"),
    job("second", "pending", 1, "2"),
    job("first", "pending", 0, "4"),
    job("running", "running", null, "5"),
    job("older", "running", null, "3"),
  ];
  expect(inOrder(jobs).map(({ id }) => id)).toEqual(["older", "running", "first", "second", "paused"]);
});

test("a job moves by one place, and not beyond the ends", () => {
  expect(moved(["a", "b", "c"], "c", -1)).toEqual(["a", "c", "b"]);
  expect(moved(["a", "b", "c"], "a", 1)).toEqual(["b", "a", "c"]);
  expect(moved(["a", "b"], "a", -1)).toEqual(["a", "b"]);
  expect(moved(["a", "b"], "x", 1)).toEqual(["a", "b"]);
});

test("my queue is a group of mine that takes jobs", () => {
  const mine = { user: "ada", title: QUEUE_TITLE, open: true, cancelled: false };
  const others = [{ user: "bob" }, { title: "A sweep" }, { open: false }, { cancelled: true }];
  const groups = [...others.map((each) => ({ ...mine, ...each })), mine] as Group[];
  expect(queuesOf(groups, "ada")).toEqual([mine]);
});
