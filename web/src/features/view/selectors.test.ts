import { describe, expect, it } from "vitest";
import { attribute, type Selectors, sharesOf } from "./selectors";

const NOBODY: Selectors = new Map();

describe("who selected what", () => {
  it("is whoever added an atom", () => {
    const ada = attribute(NOBODY, [0, 1], "ada");
    const both = attribute(ada, [0, 1, 7], "bob");
    expect(sharesOf(both)).toEqual([
      { user: "ada", atoms: [0, 1] },
      { user: "bob", atoms: [7] },
    ]);
  });

  it("forgets atoms that are no longer selected", () => {
    const ada = attribute(NOBODY, [0, 1], "ada");
    const bob = attribute(attribute(ada, [1], "bob"), [0, 1], "bob");
    expect(sharesOf(bob)).toEqual([
      { user: "bob", atoms: [0] },
      { user: "ada", atoms: [1] },
    ]);
    expect(sharesOf(attribute(bob, [], "eve"))).toEqual([]);
  });
});
