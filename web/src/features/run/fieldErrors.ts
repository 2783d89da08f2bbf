/** Errors from the server and the worker, and the fields that they are about. */
import { hasCode, type Problem } from "@/api/problem";
import type { Job } from "@/api/schema";
import { labelOf } from "./schema/names";
import { pathOf, pointerOf } from "./schema/pointer";
import { isObject, propertiesOf, type Schema } from "./schema/resolve";
import type { FieldError } from "./schema/unparsed";

const REJECTION = "InvalidInput";

/** Field errors that only the server found. */
export function serverErrors(error: Error | null): FieldError[] {
  if (!hasCode(error, "invalid_data")) return [];
  return (error as Problem).errors.map(({ path, message }) => ({
    path: pathOf(path).filter(Boolean),
    message,
  }));
}

/** What the extension's own validators refused. Each line of the message is `/path: reason`. */
export function rejections(job: Job | undefined, schema: Schema): FieldError[] {
  if (job?.error?.type !== REJECTION) return [];
  return job.error.message
    .split("\n")
    .map((line) => /^\s*(\/\S*): (.*)$/.exec(line))
    .filter((match) => match !== null)
    .flatMap(([, path = "", message = ""]) => {
      const place = withinValues(pathOf(path).filter(Boolean), job.data);
      return place.length ? [{ path: place, message }] : namedIn(message, schema);
    });
}

/** Pydantic names the option of a union in the path; the values do not. */
function withinValues(path: string[], values: unknown): string[] {
  let node = values;
  return path.filter((part, index) => {
    const isLast = index === path.length - 1;
    const isPart = typeof node === "object" && node !== null && (part in node || (isLast && isObject(node)));
    if (isPart) node = (node as Record<string, unknown>)[part];
    return isPart;
  });
}

/** A validator of the whole model names the fields that it is about in its message. */
function namedIn(message: string, schema: Schema): FieldError[] {
  const named = propertiesOf(schema).filter(([name, node]) => mentions(message, [name, labelOf(name, node)]));
  return named.length ? named.map(([name]) => ({ path: [name], message })) : [{ path: [], message }];
}

function mentions(message: string, names: string[]): boolean {
  const words = ` ${message.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, " ")} `;
  return names.some((name) => words.includes(` ${name.toLowerCase()} `));
}

/** The first error of each place. */
export function byPlace(errors: FieldError[]): Map<string, string> {
  const places = new Map<string, string>();
  for (const { path, message } of errors) {
    const place = pointerOf(path);
    if (!places.has(place)) places.set(place, message);
  }
  return places;
}
