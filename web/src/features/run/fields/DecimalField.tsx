import { TextInput } from "@mantine/core";
import { parseDecimal } from "../parse/decimal";
import type { FieldProps } from "./form";
import { useField } from "./useField";
import { useTyped } from "./useTyped";

/** A decimal with as many digits as were typed. */
export function DecimalField(props: FieldProps) {
  const { set, input } = useField(props);
  const { text, type } = useTyped(props, set, { parse: parseDecimal, format: String });
  return (
    <TextInput
      {...input}
      value={text}
      inputMode="decimal"
      autoComplete="off"
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}
