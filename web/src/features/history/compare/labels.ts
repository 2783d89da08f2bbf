import type { Job } from "@/api/schema";
import { titleOf } from "@/components/tools";
import { linesOf, textOf } from "./lines";

/** A job may have a name that somebody gave it. */
type Labelled = Pick<Job, "name" | "data"> & { annotation?: { name?: string | null } | null };
const MAX_NAMED = 2;
const MAX_LENGTH = 40;

/** What tells each job from the others: its own name, the values that differ if they are few, or else its number. */
export function labelsOf(jobs: Labelled[]): string[] {
  const labels = labelsByValue(jobs);
  return numbered(jobs.map(({ annotation }, index) => annotation?.name || (labels[index] ?? "")));
}

function labelsByValue(jobs: Labelled[]): string[] {
  const titles = jobs.map(({ name }) => titleOf(name));
  if (new Set(titles).size > 1) return titles;
  const lines = linesOf(jobs.map(({ data }) => data)).filter(({ differs }) => differs);
  const isShort = (value: unknown) => (textOf(value)?.length ?? 0) <= MAX_LENGTH;
  if (lines.length === 0 || lines.length > MAX_NAMED || !lines.every((line) => line.values.every(isShort)))
    return titles;
  const label = (index: number) =>
    lines.map(({ path, values }) => `${path} ${textOf(values[index]) ?? "–"}`).join(", ");
  return jobs.map((_, index) => label(index));
}

/** Equal labels get their numbers. */
function numbered(labels: string[]): string[] {
  const isUnique = (label: string) => labels.indexOf(label) === labels.lastIndexOf(label);
  return labels.map((label, index) => (isUnique(label) ? label : `${label} (${index + 1})`));
}
