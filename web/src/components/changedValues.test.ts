import { expect, test } from "vitest";
import { changedValues } from "./changedValues";

const schema = {
  properties: {
    samples: { default: 1000 },
    seed: { default: 0 },
    text: { type: "string" },
    box: { default: [1] },
  },
};

test("only values that are not the defaults are named", () => {
  expect(changedValues({ samples: 1000, seed: 7, box: [1] }, schema)).toBe("seed 7");
  expect(changedValues({ samples: 1000, seed: 0, text: "to be", box: [2] }, schema)).toBe(
    "text to be · box [2]",
  );
  expect(changedValues({ samples: 1000 }, schema)).toBe("");
});

test("without a schema all values are named, and long ones are shortened", () => {
  expect(changedValues({ seed: 0 })).toBe("seed 0");
  expect(changedValues({ text: "x".repeat(500) }).length).toBeLessThan(80);
});
