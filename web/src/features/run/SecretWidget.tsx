import { PasswordInput } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";

/** A password field. Its value is never shown again and not saved by the browser's password manager. */
export function SecretWidget({
  id,
  label,
  value,
  schema,
  options,
  required,
  disabled,
  rawErrors,
  onChange,
}: WidgetProps) {
  return (
    <PasswordInput
      id={id}
      label={label}
      description={schema.description}
      required={required}
      disabled={disabled}
      error={rawErrors?.join(", ")}
      autoComplete="new-password"
      value={typeof value === "string" ? value : ""}
      onChange={({ currentTarget }) => onChange(currentTarget.value || options.emptyValue)}
    />
  );
}
