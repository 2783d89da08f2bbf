import { Box, Checkbox } from "@mantine/core";
import { emptyValue } from "../schema/defaults";
import { idOf } from "../schema/pointer";
import type { Schema, Shape } from "../schema/resolve";
import type { FieldProps } from "./form";
import { kindFor } from "./registry";
import { descriptionOf, useField } from "./useField";

/** A field with parts that may be left out: a checkbox says whether it has a value. */
export function OptionalField(props: FieldProps) {
  const { set, root } = useField(props);
  const needed: Shape = { ...props.shape, isNullable: false };
  const Kind = kindFor(needed, root);
  const isSet = props.value !== null && props.value !== undefined;
  const schema: Schema = { ...props.shape.schema, default: undefined };
  return (
    <div>
      <Checkbox
        id={isSet ? `${idOf(props.at)}__set` : idOf(props.at)}
        label={props.label}
        description={isSet ? undefined : descriptionOf(schema)}
        checked={isSet}
        onChange={({ currentTarget }) => set(currentTarget.checked ? emptyValue(schema, root) : null)}
      />
      {isSet && (
        <Box mt={6}>
          <Kind {...props} shape={needed} />
        </Box>
      )}
    </div>
  );
}
