import { expect, test } from "vitest";
import type { Group } from "@/api/schema";
import { groupTitle, isGroupOver, stateOf } from "./state";

const NONE = { pending: 0, assigned: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };

function group(counts: Partial<Group["counts"]>, rest: Partial<Group> = {}): Group {
  const all = { ...NONE, ...counts };
  const total = Object.values(all).reduce((sum, each) => sum + each, 0);
  const ended = all.completed + all.failed + all.cancelled;
  return {
    title: "",
    open: false,
    counts: all,
    total,
    progress: total ? ended / total : 0,
    ...rest,
  } as Group;
}

test("a group says which part of its jobs has ended", () => {
  expect(stateOf(group({ completed: 1, running: 2 }))).toBe("33 % ended");
  expect(stateOf(group({ completed: 3 }))).toBe("All completed");
  expect(stateOf(group({ completed: 2, failed: 1 }))).toBe("Ended");
});

test("what is being carried out comes first", () => {
  expect(stateOf(group({ pending: 2 }, { changing: "cancel", cancelled: true }))).toBe("Cancelling");
  expect(stateOf(group({ pending: 2 }, { paused: true }))).toMatch(/^Paused/);
});

test("an open group is not over", () => {
  expect(isGroupOver(group({ completed: 1 }, { open: true }))).toBe(false);
  expect(isGroupOver(group({ completed: 1 }))).toBe(true);
});

test("a group without a title has a name nevertheless", () => {
  expect(groupTitle({ title: "" })).toBe("Group of jobs");
});
