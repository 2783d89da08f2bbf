import { Textarea, TextInput } from "@mantine/core";
import type { FieldProps } from "./form";
import { useField } from "./useField";

const INPUT_TYPES: Record<string, string> = { email: "email", uri: "url" };

export function TextField(props: FieldProps) {
  const { set, input } = useField(props);
  const { schema } = props.shape;
  return (
    <TextInput
      {...input}
      inputMode={INPUT_TYPES[String(schema.format)] as "email" | "url" | undefined}
      value={textOf(props.value)}
      onChange={({ currentTarget }) => set(emptied(currentTarget.value, props))}
    />
  );
}

export function LongTextField(props: FieldProps) {
  const { set, input } = useField(props);
  return (
    <Textarea
      {...input}
      autosize
      minRows={props.isBare ? 1 : 3}
      maxRows={16}
      value={textOf(props.value)}
      onChange={({ currentTarget }) => set(emptied(currentTarget.value, props))}
    />
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A cleared text is submitted as empty. Leaving it out would restore its default. */
function emptied(
  text: string,
  { shape: { schema, isNullable }, isRequired }: FieldProps,
): string | null | undefined {
  if (text) return text;
  if (isNullable) return null;
  return isRequired || schema.default === undefined ? undefined : "";
}
