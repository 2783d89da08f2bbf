import { TextInput } from "@mantine/core";
import { formatDuration, parseDuration } from "../parse/duration";
import type { FieldProps } from "./form";
import { useField } from "./useField";
import { useTyped } from "./useTyped";

export function DurationField(props: FieldProps) {
  const { set, input } = useField(props);
  const { text, type } = useTyped(props, set, { parse: parseDuration, format: formatDuration });
  return (
    <TextInput
      {...input}
      value={text}
      placeholder="2h 30m"
      autoComplete="off"
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}
