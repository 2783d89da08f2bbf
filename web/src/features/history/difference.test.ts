import { expect, test } from "vitest";
import { isReadable, linesOf } from "./difference";

const differing = (left: unknown, right: unknown) =>
  linesOf(left, right)
    .filter((line) => line.differs)
    .map((line) => line.path);

test("only differences are marked, at any depth", () => {
  const left = { samples: 10, where: { box: [1, 2] }, name: "a" };
  const right = { samples: 10, where: { box: [1, 3] }, name: "b" };
  expect(linesOf(left, right).map((line) => line.path)).toEqual([
    "samples",
    "where.box.0",
    "where.box.1",
    "name",
  ]);
  expect(differing(left, right)).toEqual(["where.box.1", "name"]);
});

test("a value that only one side has is a difference", () => {
  expect(differing({ a: 1 }, { b: 1 })).toEqual(["a", "b"]);
  expect(differing({ a: null }, {})).toEqual(["a"]);
  expect(differing({ a: [] }, { a: {} })).toEqual(["a"]);
});

test("plain values are compared too", () => {
  expect(linesOf(3, 4)).toEqual([{ path: "", left: 3, right: 4, differs: true }]);
  expect(differing("same", "same")).toEqual([]);
});

test("long tables and images are not readable", () => {
  expect(isReadable(linesOf({ a: 1 }, { a: 2 }))).toBe(true);
  expect(isReadable(linesOf(Array.from({ length: 500 }, Number), []))).toBe(false);
  expect(isReadable(linesOf("data:image/png;".padEnd(900, "x"), ""))).toBe(false);
});
