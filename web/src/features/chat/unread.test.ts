import { expect, test } from "vitest";
import type { ChatMessage } from "@/api/schema";
import { failureOf, unreadOf } from "./unread";

const said = (seq: number, user: string): ChatMessage => ({
  seq,
  user,
  room: "r",
  text: "x",
  at: "",
  job_id: null,
});

test("what others said since is unread, what I said is not", () => {
  const messages = [said(5, "bob"), said(4, "ada"), said(3, "bob")];
  expect(unreadOf(messages, 3, "ada")).toBe(1);
  expect(unreadOf(messages, 0, "ada")).toBe(2);
  expect(unreadOf(messages, 5, "ada")).toBe(0);
});

test("a failure is told without the number of its job", () => {
  expect(failureOf({ job_id: "71", text: "job 71 failed: ValueError: no" })).toBe("ValueError: no");
  expect(failureOf({ job_id: "71", text: "in other words" })).toBe("in other words");
});
