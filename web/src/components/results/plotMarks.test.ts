import { expect, it } from "vitest";
import { withMarks } from "./plotMarks";

const figure = {
  data: [
    { x: [0, 1, 2], y: [5, 6, 7], customdata: [[0], [1], [2]] },
    { x: [0, 1], y: [8, 9], customdata: [1, 0], yaxis: "y2" },
    { type: "bar", x: [1], y: [1], customdata: [1] },
    { x: [1], y: [1] },
  ],
};

it("marks the points of a frame in every trace that knows its frames", () => {
  const [first, second, ...others] = withMarks(figure, 1).data.slice(4) as Record<string, unknown>[];
  expect(first).toMatchObject({ x: [1], y: [6] });
  expect(second).toMatchObject({ x: [0], y: [8], yaxis: "y2" });
  expect(others).toEqual([]);
});

it("marks many points of a frame with dots, so that the line can be seen", () => {
  const many = (count: number) => ({
    data: [
      { x: [...Array(count).keys()], y: Array(count).fill(1), customdata: Array(count).fill([1, 0, 2]) },
    ],
  });
  const marker = (count: number) => (withMarks(many(count), 1).data[1] as { marker: unknown }).marker;
  expect(marker(5)).toHaveProperty("line");
  expect(marker(50)).not.toHaveProperty("line");
});

it("leaves a figure alone that has no such point", () => {
  expect(withMarks(figure, 9)).toBe(figure);
  expect(withMarks(figure, undefined)).toBe(figure);
});
