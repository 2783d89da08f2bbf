import { TextInput } from "@mantine/core";
import classes from "./ColorField.module.css";
import type { FieldProps } from "./form";
import { useField } from "./useField";

const HEX = /^#[0-9a-f]{6}$/i;

/** A colour, typed in any notation or picked. */
export function ColorField(props: FieldProps) {
  const { set, input } = useField(props);
  const text = typeof props.value === "string" ? props.value : "";
  const empty = props.shape.isNullable ? null : undefined;
  return (
    <TextInput
      {...input}
      value={text}
      placeholder="#1c7ed6"
      leftSection={
        <input
          type="color"
          className={classes.swatch}
          aria-label={`Pick ${props.label}`}
          tabIndex={-1}
          value={HEX.test(text) ? text : "#888888"}
          onChange={({ currentTarget }) => set(currentTarget.value)}
        />
      }
      onChange={({ currentTarget }) => set(currentTarget.value || empty)}
    />
  );
}
