import { expect, test } from "vitest";
import { changesOf, writtenIn } from "./changes";

const before = { name: "Bulk", tags: ["paper"], note: "look again" };

test("only what was changed is sent, so that what others write meanwhile stays", () => {
  expect(changesOf(before, { ...before, name: "Slab" })).toEqual({ name: "Slab" });
  expect(changesOf(before, { ...before, tags: ["paper", "draft"] })).toEqual({ tags: ["paper", "draft"] });
  expect(changesOf(before, { ...before, tags: ["paper"] })).toEqual({});
});

test("what was deleted is sent as empty", () => {
  expect(changesOf(before, writtenIn(null))).toEqual({ name: "", tags: [], note: "" });
});
