import { expect, test } from "vitest";
import { comparedIn, filterOf, withParam } from "./filter";

const address = (text: string) => new URLSearchParams(text);

test("an address is read as a filter", () => {
  const found = filterOf(address("status=failed&extension=analysis/EstimatePi&user=mine"), "ada");
  expect(found).toEqual({ status: "failed", extension: "analysis/EstimatePi", user: "ada" });
});

test("what was searched for is part of the filter", () => {
  expect(filterOf(address("q=%20window%3E5%20&status=failed"), "ada")).toEqual({
    q: "window>5",
    status: "failed",
  });
  expect(filterOf(address("q=%20"), "ada")).toEqual({});
});

test("invalid values are left out", () => {
  expect(filterOf(address("status=asleep&extension=EstimatePi"), "ada")).toEqual({});
  expect(filterOf(address("status=constructor"), "ada")).toEqual({});
});

test("two to twelve different jobs can be compared", () => {
  expect(comparedIn(address("compare=a,b"))).toEqual(["a", "b"]);
  expect(comparedIn(address("compare=a,b,a,c"))).toEqual(["a", "b", "c"]);
  expect(comparedIn(address(`compare=${"abcdefghijklmnop".split("")}`))).toHaveLength(12);
  for (const text of ["", "compare=a", "compare=a,", "compare=a,a"])
    expect(comparedIn(address(text))).toBeNull();
});

test("changing one part of an address keeps the others", () => {
  expect(withParam(address("status=failed&user=bob"), "user", "mine").toString()).toBe(
    "status=failed&user=mine",
  );
  expect(withParam(address("status=failed&user=bob"), "status", null).toString()).toBe("user=bob");
});
