import { MultiSelect, Select } from "@mantine/core";
import type { EnumOptionsType, WidgetProps } from "@rjsf/utils";

const SHOWN_AT_ONCE = 100;

/** One or several of many; long lists are searched rather than scrolled. Options are known by their place. */
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
  const data = choices.map((choice, place) => ({ value: String(place), label: choice.label }));
  const placeOf = (wanted: unknown) => String(choices.findIndex((choice) => choice.value === wanted));
  const chosen = (place: string | null) =>
    place === null ? options.emptyValue : choices[Number(place)]?.value;
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
    limit: SHOWN_AT_ONCE,
    nothingFoundMessage: "Nothing has these letters",
  };
  if (multiple)
    return (
      <MultiSelect
        {...shared}
        value={((value as unknown[] | undefined) ?? []).map(placeOf)}
        onChange={(places) => onChange(places.map(chosen))}
      />
    );
  return (
    <Select
      {...shared}
      value={value === undefined || placeOf(value) === "-1" ? null : placeOf(value)}
      clearable={!required}
      allowDeselect={false}
      onChange={(place) => onChange(chosen(place))}
    />
  );
}
