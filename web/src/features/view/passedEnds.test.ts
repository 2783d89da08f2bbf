import { describe, expect, it } from "vitest";
import { PassedEnds } from "./passedEnds";

describe("ends that were passed", () => {
  it("are those of the last appends", () => {
    const passed = new PassedEnds();
    passed.note(5, 6, 1000);
    passed.note(6, 9, 1500);
    expect([4, 5, 6, 8, 9].map((step) => passed.has(step, 9, 2000))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it("are forgotten after a while, and when somebody went elsewhere", () => {
    const passed = new PassedEnds();
    passed.note(5, 6, 1000);
    expect(passed.has(5, 6, 9000)).toBe(false);
    expect(passed.has(5, 2, 1500)).toBe(false);
    passed.note(20, 21, 1500);
    expect(passed.has(6, 21, 1600)).toBe(false);
  });
});
