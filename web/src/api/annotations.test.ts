import { expect, test } from "vitest";
import { applyAnnotations } from "./annotations";
import type { Annotation, Job, JobPage } from "./schema";

const page = (...ids: string[]) =>
  ({ items: ids.map((id) => ({ id, annotation: null }) as Job), next_cursor: null }) as JobPage;
const starred = { name: "", starred: true, tags: [], note: "" } as unknown as Annotation;

test("what people wrote reaches cached jobs, and other pages stay as they are", () => {
  const cached = { pages: [page("a", "b"), page("c")], pageParams: [] };
  const next = applyAnnotations(cached, [{ job_id: "b", room: "lab", annotation: starred }]);
  expect(next.pages[0]?.items.map((job) => job.annotation)).toEqual([null, starred]);
  expect(next.pages[1]).toBe(cached.pages[1]);
});

test("what was removed is removed", () => {
  const cached = { pages: [page("a")], pageParams: [] };
  const next = applyAnnotations(cached, [{ job_id: "a", room: "lab", annotation: starred }]);
  const last = applyAnnotations(next, [{ job_id: "a", room: "lab", annotation: null }]);
  expect(last.pages[0]?.items[0]?.annotation).toBeNull();
});
