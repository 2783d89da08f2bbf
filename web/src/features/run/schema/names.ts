import { titleOf } from "@/components/tools";
import type { Schema } from "./resolve";

const KINDS: Record<string, string> = {
  array: "List",
  boolean: "Yes or no",
  integer: "Whole number",
  number: "Number",
  object: "Object",
  string: "Text",
};

/** The node is the one before its reference is resolved: the title of a model is not that of a field. */
export function labelOf(name: string, node: unknown): string {
  const { title } = (node ?? {}) as Schema;
  return typeof title === "string" && title ? title : titleOf(name);
}

export function withUnit(label: string, { unit }: Schema): string {
  return typeof unit === "string" ? `${label} (${unit})` : label;
}

export function optionLabel(option: Schema, tag?: unknown): string {
  if (option.const !== undefined) return String(option.const);
  if (Array.isArray(option.enum) && !option.title) return option.enum.slice(0, 4).join(", ");
  if (typeof option.title === "string") return titleOf(option.title);
  if (typeof tag === "string") return titleOf(tag);
  const kind = KINDS[String(option.type)] ?? "Any value";
  const items = (option.items as Schema | undefined)?.type;
  return items ? `${kind} of ${(KINDS[String(items)] ?? "values").toLowerCase()}s` : kind;
}

/** The options of an enum. Members of a Python enum are shown by their names. */
export function choicesOf({ enum: values, enumNames: names }: Schema): { value: unknown; label: string }[] {
  if (!Array.isArray(values)) return [];
  return values.map((value, index) => ({
    value,
    label: choiceLabel(value, Array.isArray(names) ? names[index] : undefined),
  }));
}

function choiceLabel(value: unknown, name: unknown): string {
  const text = value === null ? "None" : typeof value === "object" ? JSON.stringify(value) : String(value);
  if (typeof name !== "string" || name.toLowerCase() === text.toLowerCase()) return text;
  return typeof value === "string" ? `${name} (${text})` : name;
}
