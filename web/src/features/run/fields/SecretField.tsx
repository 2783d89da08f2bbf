import { PasswordInput } from "@mantine/core";
import type { FieldProps } from "./form";
import { useField } from "./useField";

/** A password field. Its value is never shown again and not saved by the browser's password manager. */
export function SecretField(props: FieldProps) {
  const { set, input } = useField(props);
  const empty = props.shape.isNullable ? null : undefined;
  return (
    <PasswordInput
      {...input}
      autoComplete="new-password"
      value={typeof props.value === "string" ? props.value : ""}
      onChange={({ currentTarget }) => set(currentTarget.value || empty)}
    />
  );
}
