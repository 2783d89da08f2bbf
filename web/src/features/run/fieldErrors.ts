import type { ErrorSchema } from "@rjsf/utils";
import { hasCode, type Problem } from "@/api/problem";
import type { FieldError } from "./validation";

/** Arranges errors by field, as RJSF expects. */
export function errorSchemaOf(errors: FieldError[]): ErrorSchema {
  const whole: ErrorSchema = {};
  for (const { path, message } of errors) {
    const node = path.reduce<ErrorSchema>((parent, part) => {
      parent[part] ??= {};
      return parent[part] as ErrorSchema;
    }, whole);
    node.__errors = [...(node.__errors ?? []), message];
  }
  return whole;
}

/** Field errors that only the server found. */
export function serverErrors(error: Error | null): FieldError[] {
  if (!hasCode(error, "invalid_data")) return [];
  return (error as Problem).errors.map(({ path, message }) => ({
    path: path.split("/").filter(Boolean),
    message,
  }));
}
