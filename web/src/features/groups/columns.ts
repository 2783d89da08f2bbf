/** The jobs of a group as a table: what varies beside what came of it. */
import type { Job } from "@/api/schema";
import { type Figure, isScalar } from "@/components/results/content";
import { isEnvelope, isObject } from "@/components/results/envelopes";

export type Listed = Pick<Job, "id" | "retry_of" | "data" | "result" | "status">;

const MAX_COLUMNS = 8;
const MAX_LINES = 8;
const WHOLE = "result";

/** Without the jobs that another of the list repeats. */
export function withoutRetried<J extends Pick<Job, "id" | "retry_of">>(jobs: J[]): J[] {
  const retried = new Set(jobs.map((job) => job.retry_of));
  return jobs.filter((job) => !retried.has(job.id));
}

/** The parameters that the group names, or else those in which its jobs differ. */
export function parametersOf(named: string[], jobs: Pick<Job, "data">[]): string[] {
  if (named.length) return named;
  const names = [...new Set(jobs.flatMap((job) => Object.keys(job.data)))];
  return names.filter((name) => differs(name, jobs)).slice(0, MAX_COLUMNS);
}

function differs(name: string, jobs: Pick<Job, "data">[]): boolean {
  return new Set(jobs.map((job) => JSON.stringify(job.data[name]))).size > 1;
}

/** The names of the plain parts of the results. A result that is plain itself has one name. */
export function resultsOf(jobs: Pick<Job, "result">[]): string[] {
  const names = new Set<string>();
  for (const { result } of jobs) for (const name of Object.keys(plainParts(result))) names.add(name);
  return [...names].slice(0, MAX_COLUMNS);
}

export function plainParts(result: unknown): Record<string, unknown> {
  if (result === null || result === undefined) return {};
  if (isScalar(result)) return { [WHOLE]: result };
  if (!isObject(result) || isEnvelope(result)) return {};
  return Object.fromEntries(Object.entries(result).filter(([, each]) => isScalar(each)));
}

/** The values of a job's parameters in words, as in `fmax 0.1 · calculator EMT`. */
export function inWords(data: Job["data"], parameters: string[]): string {
  return parameters.map((name) => `${name} ${textOf(data[name])}`).join(" · ");
}

export function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** The names whose values are numbers, and not all the same. */
export function numericOf(names: string[], rows: Record<string, unknown>[]): string[] {
  return names.filter((name) => {
    const values = rows.flatMap((row) => (row[name] === undefined ? [] : [row[name]]));
    return values.every((each) => typeof each === "number") && new Set(values).size > 1;
  });
}

/** The names whose values are all plain, and not all the same: they can be an axis. */
export function axesOf(names: string[], jobs: Pick<Job, "data">[]): string[] {
  return names.filter((name) => {
    const values = jobs.flatMap(({ data }) => (data[name] === undefined ? [] : [data[name]]));
    return values.every(isScalar) && new Set(values).size > 1;
  });
}

/** Points of `y` over `x`: a line for each combination of the other parameters, if there are few. */
export function figureOf(jobs: Listed[], x: string, y: string, parameters: string[]): Figure {
  const points = jobs.filter((job) => isScalar(job.data[x]) && typeof plainParts(job.result)[y] === "number");
  const isNumeric = points.every((job) => typeof job.data[x] === "number");
  if (isNumeric) points.sort((a, b) => Number(a.data[x]) - Number(b.data[x]));
  const others = axesOf(
    parameters.filter((name) => name !== x),
    points,
  );
  const lines = Map.groupBy(points, (job) => inWords(job.data, others));
  const isMany = lines.size > MAX_LINES;
  const traces = isMany ? [["", points] as const] : [...lines];
  return {
    data: traces.map(([name, line]) => ({
      type: "scatter",
      mode: isMany ? "markers" : "lines+markers",
      name,
      x: line.map((job) => (isNumeric ? job.data[x] : textOf(job.data[x]))),
      y: line.map((job) => plainParts(job.result)[y]),
      customdata: line.map((job) => job.id),
    })),
    layout: {
      xaxis: { title: { text: x }, ...(!isNumeric && { type: "category" }) },
      yaxis: { title: { text: y } },
      showlegend: traces.length > 1,
    },
  };
}
