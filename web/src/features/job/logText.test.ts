import { describe, expect, it } from "vitest";
import { logText, matching } from "./logText";

const lines = [
  { seq: 1, attempt: 1, at: "2024-02-29T12:00:00Z", stream: "stdout" as const, text: "step 1" },
  {
    seq: 2,
    attempt: 1,
    at: "2024-02-29T12:00:01Z",
    stream: "log" as const,
    level: "WARNING",
    text: "a stone",
  },
];

describe("the log", () => {
  it("is filtered by text and level", () => {
    expect(matching(lines, "Stone").map((line) => line.seq)).toEqual([2]);
    expect(matching(lines, "warn").map((line) => line.seq)).toEqual([2]);
    expect(matching(lines, "")).toBe(lines);
  });

  it("is copied with times and levels", () => {
    expect(logText(lines)).toBe("2024-02-29T12:00:00Z step 1\n2024-02-29T12:00:01Z WARNING a stone\n");
  });
});
