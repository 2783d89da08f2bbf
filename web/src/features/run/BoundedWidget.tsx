import { Group, Input, NumberInput, Slider } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";

const MAX_STEPS = 200;

/** A slider with a number field beside it. */
export function BoundedWidget({
  id,
  label,
  value,
  schema,
  required,
  disabled,
  rawErrors,
  onChange,
}: WidgetProps) {
  const { minimum = 0, maximum = 1, type, multipleOf } = schema;
  const isWhole = type === "integer";
  const step = multipleOf ?? (isWhole ? 1 : (maximum - minimum) / MAX_STEPS);
  const setNumber = (next: number | string) => onChange(next === "" ? undefined : Number(next));
  const slide = (next: number) => setNumber(isWhole ? next : Number(next.toPrecision(6)));
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={schema.description}
      required={required}
      error={rawErrors?.join(", ")}
      inputContainer={(input) => <div style={{ marginTop: 4 }}>{input}</div>}
    >
      <Group wrap="nowrap" gap="md">
        <Slider
          flex={1}
          min={minimum}
          max={maximum}
          step={step}
          value={typeof value === "number" ? value : minimum}
          onChange={slide}
          disabled={disabled}
          label={null}
          thumbLabel={label}
          restrictToMarks={false}
        />
        <NumberInput
          id={id}
          w={132}
          min={minimum}
          max={maximum}
          step={step}
          allowDecimal={!isWhole}
          clampBehavior="none"
          value={value ?? ""}
          onChange={setNumber}
          disabled={disabled}
          error={Boolean(rawErrors?.length)}
        />
      </Group>
    </Input.Wrapper>
  );
}
