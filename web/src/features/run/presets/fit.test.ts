import { expect, test } from "vitest";
import { unparsed } from "../schema/unparsed";
import { fitted, goneSentence, refusalOf } from "./fit";

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

test("what was typed and has no value cannot be saved, and its field is named", () => {
  const form = { properties: { window: { title: "Width" }, box: {}, seed: {} } };
  expect(refusalOf({ window: 3, box: [1, 2] }, form)).toBeNull();
  expect(refusalOf({ window: unparsed("1e-", "is not a number"), seed: 1 }, form)).toBe(
    "'Width' has no valid value. Correct it before you save.",
  );
  const bad = unparsed("x", "is not a number");
  expect(refusalOf({ window: bad, box: [bad, 1, bad], seed: 1 }, form)).toBe(
    "'Width' and 'Box' have no valid values. Correct them before you save.",
  );
});
