/** A value as it was typed, which is refused. It is kept among the values of the form, and is never sent. */
import { isObject } from "./resolve";

export interface Unparsed {
  "workroom:typed": unknown;
  "workroom:problem": string;
}

export interface FieldError {
  path: string[];
  message: string;
}

export function unparsed(typed: unknown, problem: string): Unparsed {
  return { "workroom:typed": typed, "workroom:problem": problem };
}

export function isUnparsed(value: unknown): value is Unparsed {
  return isObject(value) && typeof value["workroom:problem"] === "string" && "workroom:typed" in value;
}

export function typedIn(value: Unparsed): unknown {
  return value["workroom:typed"];
}

/** Where values are refused, and why. */
export function problemsIn(value: unknown, path: string[] = []): FieldError[] {
  if (isUnparsed(value)) return [{ path, message: value["workroom:problem"] }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => problemsIn(each, [...path, key]));
}
