import { expect, test } from "vitest";
import { noteDocument, withDocument, withNoted } from "./documentList";
import type { DocumentInfo, Documents, StateChanged } from "./schema";

const info = (key: string, version: number) => ({ key, version }) as DocumentInfo;
const keysOf = ({ items }: Documents) => items.map(({ key, version }) => `${key}${version}`);

function event(key: string, version: number, deleted = false): StateChanged {
  return { room: "lab", key, version, user: "bob", job_id: null, deleted, value: 1 };
}

test("a document is added, changed and removed by events that are newer than the list", () => {
  const list = { items: [info("a", 1), info("b", 2)] };
  expect(keysOf(withDocument(list, event("c", 3)))).toEqual(["a1", "b2", "c3"]);
  expect(keysOf(withDocument(list, event("a", 3)))).toEqual(["a3", "b2"]);
  expect(keysOf(withDocument(list, event("a", 3, true)))).toEqual(["b2"]);
  expect(keysOf(withDocument(list, event("b", 1)))).toEqual(["a1", "b2"]);
});

test("a list that was asked for before an event contains what the event contained", () => {
  const before = performance.now();
  noteDocument(event("c", 3));
  noteDocument({ ...event("d", 4), room: "other" });
  const late = performance.now() + 1;
  const list = { items: [info("a", 1)] };
  expect(keysOf(withNoted(list, "lab", before))).toEqual(["a1", "c3"]);
  expect(keysOf(withNoted(list, "lab", late))).toEqual(["a1"]);
});
