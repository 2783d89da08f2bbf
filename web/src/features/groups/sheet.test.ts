import { expect, test } from "vitest";
import type { Job } from "@/api/schema";
import { sheetOf, thumbnailsOf } from "./sheet";

const IMAGE = "data:image/png;base64,AAAA";

function job(id: string, data: Job["data"], result: unknown, status: Job["status"] = "completed"): Job {
  return { id, data, result, status } as Job;
}

const JOBS = [
  job("a", { size: 10, colour: "red" }, { image: IMAGE }),
  job("b", { size: 9, colour: "red" }, { image: IMAGE }),
  job("c", { size: 10, colour: "blue" }, IMAGE),
  job("d", { size: 9, colour: "blue" }, null, "failed"),
  job("e", { size: 9, colour: "green" }, { energy: 2 }),
];

test("completed jobs with an image in their result have a thumbnail", () => {
  expect(thumbnailsOf(JOBS).map((each) => each.job.id)).toEqual(["a", "b", "c"]);
});

test("one parameter runs across in the order of its numbers, another one down as submitted", () => {
  const { columns, rows } = sheetOf(thumbnailsOf(JOBS), "size", "colour");
  expect(columns).toEqual(["9", "10"]);
  expect(rows.map(({ label }) => label)).toEqual(["red", "blue"]);
  const ids = rows.map(({ cells }) => cells.map((images) => images.map((each) => each.job.id)));
  expect(ids).toEqual([
    [["b"], ["a"]],
    [[], ["c"]],
  ]);
});

test("without a second parameter there is one row, and a cell may have several images", () => {
  const { rows } = sheetOf(thumbnailsOf(JOBS), "size", undefined);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.cells.map((images) => images.length)).toEqual([1, 2]);
});
