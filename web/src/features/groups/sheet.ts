/** The images of a group in rows and columns: one parameter across, another one down. */
import type { Job } from "@/api/schema";
import { resultSummary } from "@/components/resultSummary";
import type { Source } from "@/components/results/content";
import { textOf } from "./columns";

export interface Thumbnail {
  job: Job;
  image: Source;
}

export interface Row {
  label: string;
  cells: Thumbnail[][];
}

export interface ImageSheet {
  columns: string[];
  rows: Row[];
}

export function thumbnailsOf(jobs: Job[]): Thumbnail[] {
  return jobs.flatMap((job) => {
    const image = job.status === "completed" ? resultSummary(job.result)?.image : undefined;
    return image ? [{ job, image }] : [];
  });
}

/** A cell has several images if other parameters vary, too. Without `y` there is one row. */
export function sheetOf(thumbnails: Thumbnail[], x: string, y: string | undefined): ImageSheet {
  const columns = valuesOf(thumbnails, x);
  const rows = (y === undefined ? [undefined] : valuesOf(thumbnails, y)).map((value) => ({
    label: value === undefined ? "" : textOf(value),
    cells: columns.map((column) =>
      thumbnails.filter(({ job: { data } }) => data[x] === column && (y === undefined || data[y] === value)),
    ),
  }));
  return { columns: columns.map(textOf), rows };
}

/** Numbers in their order, everything else as it was submitted. */
function valuesOf(thumbnails: Thumbnail[], name: string): unknown[] {
  const values = [...new Set(thumbnails.map(({ job }) => job.data[name]))];
  return values.every((each) => typeof each === "number")
    ? values.toSorted((a, b) => Number(a) - Number(b))
    : values;
}
