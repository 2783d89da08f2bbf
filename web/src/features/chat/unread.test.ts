import { expect, test } from "vitest";
import type { ChatMessage } from "@/api/schema";
import { failureOf, unreadOf } from "./unread";

const message = (seq: number, user: string): ChatMessage => ({
  seq,
  user,
  room: "r",
  text: "x",
  at: "",
  job_id: null,
  by_job: null,
});

test("new messages of others are unread, my own are not", () => {
  const messages = [message(5, "bob"), message(4, "ada"), message(3, "bob")];
  expect(unreadOf(messages, 3, "ada")).toBe(1);
  expect(unreadOf(messages, 0, "ada")).toBe(2);
  expect(unreadOf(messages, 5, "ada")).toBe(0);
});

test("the text of a failure leaves out the job id", () => {
  expect(failureOf({ job_id: "71", text: "job 71 failed: ValueError: no" })).toBe("ValueError: no");
  expect(failureOf({ job_id: "71", text: "in other words" })).toBe("in other words");
});
