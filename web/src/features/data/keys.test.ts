import { expect, test } from "vitest";
import { columnKeys, dtypeText, shapeText } from "./keys";

const array = (dtype: string | null, shape: number[] | null) => ({
  key: "a",
  kind: "array" as const,
  dtype,
  shape,
});
const value = (key: string) => ({ key, kind: "value" as const, dtype: null, shape: null });

test.each([
  ["<f8", "float64"],
  ["<f2", "float16"],
  ["|b1", "bool"],
  ["|u1", "uint8"],
  ["<c16", "complex128"],
  ["<U12", "text of 12"],
  ["|S4", "4 bytes"],
  [null, "varies"],
])("the type %s reads %s", (dtype, text) => {
  expect(dtypeText(array(dtype, []))).toBe(text);
});

test("shapes read as products, and one that varies says so", () => {
  expect(shapeText(array("<f8", [20, 3]))).toBe("20 × 3");
  expect(shapeText(array("<f8", []))).toBe("single");
  expect(shapeText(array("<f8", null))).toBe("varies");
});

test("plain values are drawn, unless their key cannot be asked for", () => {
  expect(columnKeys([array("<f8", []), value("info.energy"), value("a,b")])).toEqual(["info.energy"]);
});
