import { describe, expect, it } from "vitest";
import { distance, fitness } from "./fuzzy";

describe("fitness", () => {
  it.each(["estimate pi", "est", "pi", "estimat", "estmate", "esitmate", "pi estimate", "ep"])(
    "finds Estimate pi by %s",
    (query) => expect(fitness(query, "Estimate pi")).toBeGreaterThan(0),
  );

  it.each(["wave", "px", "estimate word", "xyz"])("does not find Estimate pi by %s", (query) =>
    expect(fitness(query, "Estimate pi")).toBe(0),
  );

  it("prefers the beginning of a word to a typo", () => {
    expect(fitness("count", "Count words")).toBeGreaterThan(fitness("count", "Amount of words"));
    expect(fitness("coutn", "Count words")).toBeGreaterThan(0);
  });

  it("counts a swap as one typo", () => expect(distance("abcd", "acbd")).toBe(1));
});
