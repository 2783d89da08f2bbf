import { MultiSelect, Select } from "@mantine/core";
import type { EnumOptionsType, WidgetProps } from "@rjsf/utils";

const MAX_SHOWN = 100;

/** A select for one or several options, with search for long lists. Options are identified by index. */
export function ChoiceWidget({
  id,
  label,
  value,
  schema,
  options,
  multiple,
  required,
  disabled,
  rawErrors,
  onChange,
  placeholder,
  hideLabel,
}: WidgetProps) {
  const choices: EnumOptionsType[] = options.enumOptions ?? [];
  const data = choices.map((choice, index) => ({ value: String(index), label: choice.label }));
  const indexOf = (wanted: unknown) => String(choices.findIndex((choice) => choice.value === wanted));
  const chosen = (index: string | null) =>
    index === null ? options.emptyValue : choices[Number(index)]?.value;
  const shared = {
    id,
    label: hideLabel ? undefined : label,
    "aria-label": hideLabel ? label || "Kind" : undefined,
    description: hideLabel ? undefined : schema.description,
    data,
    required,
    disabled,
    placeholder,
    error: rawErrors?.join(", "),
    searchable: data.length > 8,
    limit: MAX_SHOWN,
    nothingFoundMessage: "Nothing found",
  };
  if (multiple)
    return (
      <MultiSelect
        {...shared}
        value={((value as unknown[] | undefined) ?? []).map(indexOf)}
        onChange={(indexes) => onChange(indexes.map(chosen))}
      />
    );
  return (
    <Select
      {...shared}
      value={value === undefined || indexOf(value) === "-1" ? null : indexOf(value)}
      clearable={options.emptyValue !== undefined}
      allowDeselect={false}
      onChange={(index) => onChange(chosen(index))}
    />
  );
}
