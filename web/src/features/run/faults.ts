import type { ErrorSchema } from "@rjsf/utils";
import { hasCode, type Problem } from "@/api/problem";
import type { Fault } from "./checking";

/** Each fault beside its field. */
export function besideFields(faults: Fault[]): ErrorSchema {
  const whole: ErrorSchema = {};
  for (const { path, message } of faults) {
    const node = path.reduce<ErrorSchema>((parent, part) => {
      parent[part] ??= {};
      return parent[part] as ErrorSchema;
    }, whole);
    node.__errors = [...(node.__errors ?? []), message];
  }
  return whole;
}

/** What the server found that the page did not. */
export function faultsIn(error: Error | null): Fault[] {
  if (!hasCode(error, "invalid_data")) return [];
  return (error as Problem).faults.map(({ path, message }) => ({
    path: path.split("/").filter(Boolean),
    message,
  }));
}
