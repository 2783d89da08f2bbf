import { expect, test } from "vitest";
import { fitted, goneSentence } from "./fit";

const schema = { type: "object", properties: { window: { type: "integer" }, toString: {} } };

test("fields that the form has are kept as they are, whether they are valid or not", () => {
  const values = { window: "wide", toString: 1 };
  expect(fitted(values, schema)).toEqual({ values, gone: [] });
});

test("fields that the form no longer has are left out and named", () => {
  expect(fitted({ window: 9, colour: "red", constructor: 1 }, schema)).toEqual({
    values: { window: 9 },
    gone: ["colour", "constructor"],
  });
});

test("a form that takes any field keeps them all", () => {
  const open = { ...schema, additionalProperties: { type: "number" } };
  expect(fitted({ anything: 1 }, open)).toEqual({ values: { anything: 1 }, gone: [] });
});

test("the fields that are gone make a sentence", () => {
  expect(goneSentence(["a"])).toBe("'a' is no longer a field of this tool and was left out.");
  expect(goneSentence(["a", "b", "c"])).toBe(
    "'a', 'b' and 'c' are no longer fields of this tool and were left out.",
  );
});
