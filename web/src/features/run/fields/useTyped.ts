import { useState } from "react";
import type { Parsed } from "../parse/parsed";
import { isUnparsed, typedIn, unparsed } from "../schema/unparsed";
import type { FieldProps } from "./form";

interface Syntax {
  parse: (text: string) => Parsed<unknown>;
  format: (value: unknown) => string;
}

const REQUIRED = "is required";

/** A value that is typed as text. What cannot be understood stays as it was typed, with the reason. */
export function useTyped(props: FieldProps, set: (value: unknown) => void, { parse, format }: Syntax) {
  const { value } = props;
  const [typed, setTyped] = useState("");
  const interpret = (text: string) => {
    if (!text.trim()) return emptied(props);
    const parsed = parse(text);
    return "problem" in parsed ? unparsed(text, parsed.problem) : parsed.value;
  };
  const type = (text: string) => {
    setTyped(text);
    set(interpret(text));
  };
  return { text: shown(value, typed, interpret, format), type };
}

/** The typed text for as long as it means the value: `2.50` is not replaced by `2.5`. */
function shown(
  value: unknown,
  typed: string,
  interpret: (text: string) => unknown,
  format: (value: unknown) => string,
): string {
  if (isUnparsed(value)) return String(typedIn(value) ?? "");
  if (typed && isSame(interpret(typed), value)) return typed;
  return value === undefined || value === null ? "" : format(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));
}

/** Leaving out a value would submit its default, which the user has just removed. */
function emptied({ shape: { schema, isNullable }, isRequired }: FieldProps): unknown {
  if (isNullable) return null;
  const hasDefault = schema.default !== undefined && schema.default !== null;
  return hasDefault && !isRequired ? unparsed("", REQUIRED) : undefined;
}
