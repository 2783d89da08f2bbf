import { describe, expect, it } from "vitest";
import { justify, ratioOf } from "./justify";

const square = { width: 512, height: 512 };

describe("justify", () => {
  it("fills each full row exactly", () => {
    const [row] = justify([square, square, square, square], 820, 200, 10);
    expect(row?.items).toHaveLength(4);
    const filled = (row?.items ?? []).reduce((sum, item) => sum + ratioOf(item) * (row?.height ?? 0), 30);
    expect(filled).toBeCloseTo(820);
  });

  it("keeps the wanted height for a row that is not full", () => {
    expect(justify([square], 1000, 200, 10)).toEqual([{ items: [square], height: 200 }]);
  });

  it("limits how wide or tall a picture is", () => {
    expect(ratioOf({ width: 10_000, height: 10 })).toBe(3);
    expect(ratioOf({ width: 10, height: 10_000 })).toBe(0.4);
    expect(ratioOf({ width: 0, height: 0 })).toBe(1);
  });
});
