import { describe, expect, it } from "vitest";
import { parseSeeds } from "./seeds";

describe("parseSeeds", () => {
  it.each([
    ["", []],
    ["7", [7]],
    ["1, 2 5-8", [1, 2, 5, 6, 7, 8]],
    ["3,3", [3]],
  ])("reads %j", (text, seeds) => expect(parseSeeds(text)).toEqual(seeds));

  it.each(["one", "8-5", "1-1000", "-1", "1.5"])("refuses %j", (text) => expect(parseSeeds(text)).toBeNull());
});
