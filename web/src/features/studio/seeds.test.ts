import { describe, expect, it } from "vitest";
import { parseSeeds, withoutSeed } from "./seeds";

describe("parseSeeds", () => {
  it.each([
    ["", []],
    ["7", [7]],
    ["1, 2 5-8", [1, 2, 5, 6, 7, 8]],
    ["3,3", [3]],
    ["4294967295", [4294967295]],
  ])("reads %j", (text, seeds) => expect(parseSeeds(text)).toEqual(seeds));

  it.each(["one", "8-5", "1-1000", "-1", "1.5"])("refuses %j", (text) => expect(parseSeeds(text)).toBeNull());
});

describe("withoutSeed", () => {
  it("leaves out the seed, and notices where there is none", () => {
    const width = { type: "integer" };
    const other = { schema: { properties: { width } }, hasSeed: false };
    expect(withoutSeed({ properties: { width, seed: {} } })).toEqual({ ...other, hasSeed: true });
    expect(withoutSeed({ properties: { width } })).toEqual(other);
    expect(withoutSeed({})).toEqual({ schema: { properties: {} }, hasSeed: false });
  });
});
