import { describe, expect, it } from "vitest";
import { flatten } from "./treeRows";

const texts = (value: unknown, ...toggled: string[]) =>
  flatten(value, new Set(toggled)).map(({ name, text }) => (name === null ? text : `${name}: ${text}`));

describe("flatten", () => {
  it("opens what is small", () => {
    expect(texts({ a: 1, b: { c: "x" } })).toEqual(["{ 2 }", "a: 1", "b: { 1 }", 'c: "x"']);
  });

  it("leaves out what is folded", () => {
    expect(texts({ a: 1, b: { c: "x" } }, "/b")).toEqual(["{ 2 }", "a: 1", "b: { 1 }"]);
    expect(texts({ a: 1 }, "")).toEqual(["{ 1 }"]);
  });

  it("shows numbers that JSON lacks", () => {
    expect(texts([Number.NaN, 2n ** 70n])).toEqual(["[ 2 ]", "0: NaN", "1: 1180591620717411303424"]);
  });

  it("is bounded", () => {
    const rows = Array.from({ length: 300_000 }, () => 0);
    expect(flatten(rows, new Set()).length).toBeLessThanOrEqual(100_001);
  });
});
