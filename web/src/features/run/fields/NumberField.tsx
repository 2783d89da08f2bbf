import { TextInput } from "@mantine/core";
import type { KeyboardEvent } from "react";
import { formatNumber, type Limits, parseNumber, stepped } from "../parse/number";
import type { FieldProps } from "./form";
import { useField } from "./useField";
import { useTyped } from "./useTyped";

/** A number is text until it is valid. Arrow keys step it; the wheel does not. */
export function NumberField(props: FieldProps) {
  const { set, input } = useField(props);
  return <TextInput {...input} {...useNumber(props, set)} />;
}

/** The properties of a text input that takes a number. */
export function useNumber(props: FieldProps, set: (value: unknown) => void) {
  const { schema } = props.shape;
  const isWhole = schema.type === "integer";
  const { text, type } = useTyped(props, set, {
    parse: (typed) => parseNumber(typed, isWhole),
    format: formatNumber,
  });
  const step = (event: KeyboardEvent) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const parsed = parseNumber(text || "0", isWhole);
    if ("value" in parsed)
      type(formatNumber(stepped(parsed.value, event.key === "ArrowUp" ? 1 : -1, schema as Limits, isWhole)));
  };
  return {
    value: text,
    inputMode: isWhole ? ("numeric" as const) : ("decimal" as const),
    autoComplete: "off",
    spellCheck: false,
    onChange: ({ currentTarget }: React.ChangeEvent<HTMLInputElement>) => type(currentTarget.value),
    onKeyDown: step,
  };
}
