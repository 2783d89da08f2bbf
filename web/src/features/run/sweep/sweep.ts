/** A sweep: fields with several values. Every combination is a job. */
import type { Values } from "@/components/draft";
import { parseSeveral } from "../parse/several";
import { propertiesOf, type Schema, shapeOf } from "../schema/resolve";
import type { FieldError } from "../schema/unparsed";

export const MAX_JOBS = 1000;
export const MAX_FIELDS = 20;
const MAX_BATCH_BYTES = 500_000; // the body of a request has a limit, which is about twice that

/** What was typed into the fields with several values, by name. */
export type Texts = ReadonlyMap<string, string>;

export interface Sweep {
  lists: Map<string, unknown[]>;
  problems: FieldError[];
  /** How many jobs it has; 0 if a list is not understood. */
  count: number;
}

export function sweepOf(texts: Texts, schema: Schema): Sweep {
  const nodes = new Map(propertiesOf(schema));
  const lists = new Map<string, unknown[]>();
  const problems: FieldError[] = [];
  for (const [name, text] of texts) {
    const parsed = parseSeveral(text, shapeOf(nodes.get(name), schema).schema);
    if ("value" in parsed) lists.set(name, parsed.value);
    else problems.push({ path: [name], message: parsed.problem });
  }
  const count = [...lists.values()].reduce((product, list) => product * list.length, 1);
  return { lists, problems, count: problems.length || !texts.size ? 0 : count };
}

/** The values of the first job. */
export function firstOf(values: Values, { lists }: Sweep): Values {
  return lists.size
    ? { ...values, ...Object.fromEntries([...lists].map(([name, [first]]) => [name, first])) }
    : values;
}

/** Values of jobs that together have each value of each list once: what is refused alone is found among them. */
export function samplesOf(values: Values, sweep: Sweep): Values[] {
  const first = firstOf(values, sweep);
  const others = [...sweep.lists].flatMap(([name, list]) =>
    list.slice(1).map((each) => ({ ...first, [name]: each })),
  );
  return [first, ...others];
}

/** The values of all jobs. The last field varies fastest. */
export function combinationsOf(values: Values, { lists }: Sweep): Values[] {
  return [...lists].reduce<Values[]>(
    (jobs, [name, list]) => jobs.flatMap((job) => list.map((each) => ({ ...job, [name]: each }))),
    [values],
  );
}

/** The jobs in requests that are not too large. A job that is gets one of its own. */
export function batchesOf<J>(jobs: J[]): J[][] {
  const batches: J[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const job of jobs) {
    const more = new Blob([JSON.stringify(job)]).size;
    if (size + more > MAX_BATCH_BYTES) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)?.push(job);
    size += more;
  }
  return batches;
}
