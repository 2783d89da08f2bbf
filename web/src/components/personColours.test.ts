import { describe, expect, it } from "vitest";
import { assignColours, PERSON_COLOURS } from "./personColours";

const BACKGROUNDS = ["#f1f3f5", "#1a1b1e"];

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [dark = 0, bright = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (bright + 0.05) / (dark + 0.05);
}

describe("the colours of people", () => {
  it("are distinct as long as there are enough", () => {
    const users = Array.from({ length: PERSON_COLOURS.length }, (_, number) => `user-${number}`);
    expect(new Set(assignColours(users).values()).size).toBe(PERSON_COLOURS.length);
    expect(assignColours([...users, "one-more"]).size).toBe(users.length + 1);
  });

  it("do not change when somebody else comes", () => {
    const before = assignColours(["ada", "bob"]);
    const after = assignColours(["ada", "bob", "eve", "dan"]);
    for (const user of ["ada", "bob"]) expect(after.get(user)).toBe(before.get(user));
  });

  it("depend on the id alone without a collision", () => {
    const alone = assignColours(["ada"]).get("ada");
    const other = ["bob", "eve", "dan"].find((user) => assignColours([user]).get(user) !== alone) as string;
    expect(assignColours([other, "ada"]).get("ada")).toBe(alone);
  });

  it("can be seen in both themes, and carry white text", () => {
    for (const colour of PERSON_COLOURS) {
      for (const background of BACKGROUNDS) expect(contrast(colour, background)).toBeGreaterThan(3);
      expect(contrast(colour, "#ffffff")).toBeGreaterThan(4.5);
    }
  });
});
