import { Group, Input, Slider, TextInput } from "@mantine/core";
import { roundStep } from "../parse/number";
import type { FieldProps } from "./form";
import { useNumber } from "./NumberField";
import { useField } from "./useField";

const STEPS = 100;

/** A slider with a number field beside it. */
export function BoundedField(props: FieldProps) {
  const { id, error, set, input } = useField(props);
  const number = useNumber(props, set);
  const { minimum, maximum, step } = scaleOf(props.shape.schema);
  const slide = (next: number) => set(Math.min(Math.max(Number(next.toPrecision(6)), minimum), maximum));
  return (
    <Input.Wrapper {...input} inputContainer={(inner) => <div style={{ marginTop: 4 }}>{inner}</div>}>
      <Group wrap="nowrap" gap="md">
        <Slider
          flex={1}
          min={minimum}
          max={maximum}
          step={step}
          value={typeof props.value === "number" ? props.value : minimum}
          onChange={slide}
          label={null}
          thumbLabel={props.label}
          restrictToMarks={false}
        />
        <TextInput id={id} w={132} error={Boolean(error)} {...number} />
      </Group>
    </Input.Wrapper>
  );
}

function scaleOf(schema: Record<string, unknown>) {
  const [minimum, maximum] = [Number(schema.minimum), Number(schema.maximum)];
  const least = schema.type === "integer" ? 1 : 0;
  const step = Number(schema.multipleOf ?? Math.max(least, roundStep((maximum - minimum) / STEPS)));
  return { minimum, maximum, step };
}
