import { describe, expect, it } from "vitest";
import { MAX_SHAPES, toAllShapes, toShapes } from "./shapes";

const ARROW = { type: "arrow", start: [0, 0, 0], end: [1, 0, 0] };
const curve = (points: number) => ({
  type: "curve",
  points: Array.from({ length: points }, (_, at) => [at, 0, 0]),
});

describe("a geometry", () => {
  it("has defaults for what is not said", () => {
    expect(toShapes(ARROW)).toEqual([
      { kind: "arrow", start: [0, 0, 0], end: [1, 0, 0], radius: 0.1, colour: "#e8590c", opacity: 1 },
    ]);
    expect(toShapes({ type: "plane", center: [0, 0, 1], normal: [0, 0, 2] })).toMatchObject([
      { size: 10, opacity: 0.4 },
    ]);
  });

  it("may be a list", () => {
    const found = toShapes([
      ARROW,
      { type: "sphere", center: [1, 1, 1], color: "#0a0" },
      { type: "box", center: [0, 0, 0], size: [1, 2, 3], rotation: [0, 0, 45] },
      { ...curve(3), closed: true },
    ]);
    expect(found.map(({ kind }) => kind)).toEqual(["arrow", "sphere", "box", "curve"]);
  });

  it.each([
    [7, "a geometry is an object with a type"],
    [{ kind: "box" }, "its type is none of arrow, curve, box, plane, sphere"],
    [{ type: "toString" }, "its type is none of arrow, curve, box, plane, sphere"],
    [{ type: "arrow", start: [0, 0, 0] }, "end must be three numbers, each up to 100000"],
    [{ ...ARROW, end: [0, 0, 1e9] }, "end must be three numbers, each up to 100000"],
    [{ ...ARROW, radius: -1 }, "radius must be a positive number up to 100000"],
    [{ ...ARROW, color: "red; url(x)" }, 'color must be like "#1c7ed6"'],
    [{ ...ARROW, opacity: 0 }, "opacity must be above 0 and at most 1"],
    [{ ...ARROW, colour: "#fff" }, "a geometry of type arrow has no colour"],
    [{ type: "plane", center: [0, 0, 0], normal: [0, 0, 0] }, "normal must not be zero"],
    [{ type: "box", center: [0, 0, 0], size: [1, 0, 1] }, "size must be three positive numbers"],
    [curve(1), "points must be 2 to 2000 points of three numbers"],
    [curve(2001), "points must be 2 to 2000 points of three numbers"],
    [[ARROW, { type: "arrow" }], "item 1: start must be three numbers, each up to 100000"],
  ])("says what is wrong with %j", (value, message) => {
    expect(() => toShapes(value)).toThrow(message as string);
  });
});

describe("the geometries of a room", () => {
  it("are drawn beside one that is malformed", () => {
    const { shapes, problems } = toAllShapes([
      ["good", ARROW],
      ["bad", { type: "box" }],
    ]);
    expect(shapes).toHaveLength(1);
    expect(problems).toEqual([
      "Geometry “bad” is not drawn: center must be three numbers, each up to 100000.",
    ]);
  });

  it("are bounded in number and size", () => {
    const many = Array.from({ length: MAX_SHAPES }, () => ARROW);
    const { shapes, problems } = toAllShapes([
      ["many", many],
      ["more", ARROW],
      ["too many", [...many, ARROW]],
    ]);
    expect(shapes).toHaveLength(MAX_SHAPES);
    expect(problems[0]).toBe("Geometry “more” is not drawn: a room shows at most 1000 geometries.");
    expect(problems[1]).toContain("more than 1000");
    const long = toAllShapes(Array.from({ length: 6 }, (_, at) => [String(at), curve(2000)] as const));
    expect(long.shapes).toHaveLength(5);
    expect(long.problems[0]).toContain("all curves have at most 10000 points");
  });
});
