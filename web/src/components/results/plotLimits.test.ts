import { describe, expect, it } from "vitest";
import { limited } from "./plotLimits";

const axisOf = (axis: object, data: object[] = [{ x: [0, 100], y: [0, 1] }]) =>
  limited({ data, layout: { xaxis: axis } }).layout?.xaxis;

describe("limited", () => {
  it("keeps sensible steps", () => {
    expect(axisOf({ dtick: 10 })).toEqual({ dtick: 10 });
    expect(axisOf({ dtick: "M1" }, [{ x: ["2024-01-01", "2024-12-31"] }])).toEqual({ dtick: "M1" });
  });

  it.each([
    ["a tiny step", { dtick: 1e-9 }],
    ["a negative step", { dtick: -1 }],
    ["a step that is no number", { dtick: "x" }],
  ])("drops %s", (_, axis) => {
    expect(axisOf(axis)).toEqual({});
  });

  it("drops a step that is tiny for the range", () => {
    expect(axisOf({ dtick: 1, range: [0, 1e9] })).toEqual({ range: [0, 1e9] });
  });

  it("drops steps wherever they are", () => {
    const plot = limited({
      data: [{ marker: { colorbar: { dtick: 1e-9 } }, xbins: { start: 0, end: 1, size: 1e-9 } }],
      layout: { scene: { zaxis: { dtick: 1e-9 } }, coloraxis: { colorbar: { dtick: 1e-9 } } },
    });
    expect(JSON.stringify(plot)).not.toContain("1e-9");
  });

  it("bounds lists and counts", () => {
    const plot = limited({
      data: Array.from({ length: 5000 }, () => ({ y: [1] })),
      layout: { shapes: Array.from({ length: 5000 }, () => ({})), xaxis: { nticks: 1e9 } },
    });
    expect(plot.data).toHaveLength(500);
    expect(plot.layout?.shapes).toHaveLength(500);
    expect(plot.layout?.xaxis).toEqual({ nticks: 500 });
  });
});
