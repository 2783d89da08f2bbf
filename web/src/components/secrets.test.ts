import { expect, test } from "vitest";
import { hasMasks, withoutMasks, withoutSecrets } from "./secrets";

const MASK = "**********";
const PASSWORD = { type: "string", format: "password", writeOnly: true };

test("masks are removed, so that a form requests the values again", () => {
  const values = { url: "x", key: MASK, deep: { keys: [MASK, "a"] } };
  expect(hasMasks(values)).toBe(true);
  expect(withoutMasks(values)).toEqual({ url: "x", deep: { keys: ["a"] } });
  expect(hasMasks(withoutMasks(values))).toBe(false);
});

test("secret values are removed wherever the schema has them", () => {
  const schema = {
    properties: {
      url: { type: "string" },
      key: PASSWORD,
      maybe: { anyOf: [PASSWORD, { type: "null" }] },
      many: { type: "array", items: PASSWORD },
      named: { type: "object", additionalProperties: PASSWORD },
      account: { $ref: "#/$defs/Account" },
    },
    $defs: {
      Account: { properties: { user: { type: "string" }, key: PASSWORD, next: { $ref: "#/$defs/Account" } } },
    },
  };
  const values = {
    url: "x",
    key: "s1",
    maybe: "s2",
    many: ["s3"],
    named: { a: "s4" },
    account: { user: "ada", key: "s5", next: { user: "bob", key: "s6" } },
  };
  expect(withoutSecrets(values, schema)).toEqual({
    url: "x",
    many: [],
    named: {},
    account: { user: "ada", next: { user: "bob" } },
  });
});
