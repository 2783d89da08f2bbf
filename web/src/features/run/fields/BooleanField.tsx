import { Checkbox, Select } from "@mantine/core";
import type { FieldProps } from "./form";
import { useField } from "./useField";

export function BooleanField(props: FieldProps) {
  const { set, input } = useField(props);
  const { required: _, ...rest } = input;
  return (
    <Checkbox
      {...rest}
      checked={props.value === true}
      onChange={({ currentTarget }) => set(currentTarget.checked)}
    />
  );
}

const ANSWERS = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

/** Yes, no, or neither. */
export function OptionalBooleanField(props: FieldProps) {
  const { set, input } = useField(props);
  return (
    <Select
      {...input}
      data={ANSWERS}
      clearable
      placeholder="Not set"
      value={typeof props.value === "boolean" ? String(props.value) : null}
      onChange={(next) => set(next === null ? null : next === "true")}
    />
  );
}
