import { Box, Select, Stack } from "@mantine/core";
import { useState } from "react";
import { emptyValue } from "../schema/defaults";
import { optionLabel } from "../schema/names";
import { isConstant, propertiesOf, type Schema, shapeOf } from "../schema/resolve";
import { optionFor, tagOf } from "../schema/unions";
import { isUnparsed } from "../schema/unparsed";
import type { FieldProps } from "./form";
import { Properties } from "./Properties";
import { kindFor } from "./registry";
import { useField } from "./useField";

const NONE = "none";

/** A select for the kind of value, and its field. */
export function UnionField(props: FieldProps) {
  const { set, input, root } = useField(props);
  const { schema, options, isNullable } = props.shape;
  const [chosen, setChosen] = useState<number | null>(null);
  const index = currentOption(props.value, chosen, options, root);
  const choose = (next: string | null) => {
    if (next === null || next === NONE) return set(null);
    setChosen(Number(next));
    set(emptyValue(options[Number(next)], root));
  };
  const data = options.map((option, each) => ({
    value: String(each),
    label: optionLabel(option, tagOf(option, schema.discriminator, root)),
  }));
  const option = index === -1 ? undefined : options[index];
  return (
    <Stack gap={6}>
      <Select
        {...input}
        data={isNullable ? [...data, { value: NONE, label: "None" }] : data}
        value={index === -1 ? (isNullable ? NONE : null) : String(index)}
        allowDeselect={false}
        onChange={choose}
      />
      {option && <Option {...props} option={option} />}
    </Stack>
  );
}

function Option({ option, ...props }: FieldProps & { option: Schema }) {
  const { root } = useField(props);
  const shape = shapeOf(option, root);
  if (isConstant(shape.schema)) return null;
  if (shape.schema.properties) {
    const isEmpty = propertiesOf(shape.schema).every(([, node]) => isConstant(shapeOf(node, root).schema));
    return isEmpty ? null : (
      <Box className="option">
        <Properties at={props.at} schema={shape.schema} value={props.value} budget={props.budget} />
      </Box>
    );
  }
  const Kind = kindFor(shape, root);
  return (
    <Kind {...props} shape={shape} isBare label={`${props.label}, ${optionLabel(option).toLowerCase()}`} />
  );
}

/** What was chosen stays chosen while its value is not valid yet, or fits another option as well. */
function currentOption(value: unknown, chosen: number | null, options: Schema[], root: Schema): number {
  const isOpen = value === undefined || isUnparsed(value);
  if (isOpen) return chosen ?? -1;
  const found = optionFor(value, options, root);
  if (chosen === null || value === null) return found;
  const option = options[chosen];
  return option && optionFor(value, [option], root) === 0 ? chosen : found;
}
