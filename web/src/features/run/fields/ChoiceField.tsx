import { MultiSelect, Select } from "@mantine/core";
import { choicesOf } from "../schema/names";
import { type Schema, shapeOf } from "../schema/resolve";
import type { FieldProps } from "./form";
import { useField } from "./useField";

const MAX_SHOWN = 100;
const SEARCH_FROM = 8;

/** A select for one option, with search for long lists. Options are identified by index. */
export function ChoiceField(props: FieldProps) {
  const { set, input } = useField(props);
  const { schema, isNullable } = props.shape;
  const { choices, data, indexOf } = choicesFor(schema);
  const index = indexOf(props.value);
  return (
    <Select
      {...input}
      {...optionsFor(data)}
      value={index === "-1" ? null : index}
      clearable={isNullable || (!props.isRequired && schema.default === undefined)}
      allowDeselect={false}
      onChange={(next) => set(next === null ? (isNullable ? null : undefined) : choices[Number(next)]?.value)}
    />
  );
}

/** A select for several options. */
export function ChoicesField(props: FieldProps) {
  const { set, input, root } = useField(props, true);
  const { choices, data, indexOf } = choicesFor(shapeOf(props.shape.schema.items, root).schema);
  const values = Array.isArray(props.value) ? props.value : [];
  return (
    <MultiSelect
      {...input}
      {...optionsFor(data)}
      value={values.map(indexOf).filter((index) => index !== "-1")}
      onChange={(indexes) => set(indexes.map((index) => choices[Number(index)]?.value))}
    />
  );
}

function choicesFor(schema: Schema) {
  const choices = choicesOf(schema);
  return {
    choices,
    data: choices.map(({ label }, index) => ({ value: String(index), label })),
    indexOf: (wanted: unknown) => String(choices.findIndex(({ value }) => value === wanted)),
  };
}

function optionsFor(data: { value: string; label: string }[]) {
  return {
    data,
    searchable: data.length > SEARCH_FROM,
    limit: MAX_SHOWN,
    nothingFoundMessage: "Nothing found",
    placeholder: "Choose",
  };
}
