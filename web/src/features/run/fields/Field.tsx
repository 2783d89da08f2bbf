import { Box, Group, Text, UnstyledButton } from "@mantine/core";
import { memo, useMemo } from "react";
import { formatNumber } from "../parse/number";
import { pathOf, replaced } from "../schema/pointer";
import { shapeOf } from "../schema/resolve";
import { type FieldProps, FormContext, useForm } from "./form";
import { kindFor } from "./registry";

interface Props extends Omit<FieldProps, "shape"> {
  node: unknown;
  /** For a field whose parent has the value; otherwise the form changes it. */
  onChange?: (value: unknown) => void;
}

const MAX_EXAMPLES = 5;

/** The field for one node of the schema. */
export const Field = memo(function Field({ node, onChange, ...props }: Props) {
  const form = useForm();
  const { at } = props;
  const shape = shapeOf(node, form.root);
  const Kind = kindFor(shape, form.root);
  const inner = useMemo(
    () => (onChange ? { ...form, set: setterBelow(at, props.value, onChange) } : form),
    [form, onChange, at, props.value],
  );
  return (
    <FormContext value={inner}>
      <Box onBlur={() => form.touch(at)}>
        <Kind {...props} shape={shape} />
        {!props.isBare && (
          <Examples examples={shape.schema.examples} onChoose={(value) => inner.set(at, value)} />
        )}
      </Box>
    </FormContext>
  );
});

/** Changes a value, or a part of it. */
function setterBelow(at: string, whole: unknown, onChange: (value: unknown) => void) {
  return (place: string, value: unknown) => onChange(replaced(whole, pathOf(place.slice(at.length)), value));
}

function Examples({ examples, onChoose }: { examples: unknown; onChoose: (value: unknown) => void }) {
  if (!Array.isArray(examples) || examples.length === 0) return null;
  return (
    <Group gap={8} mt={4} component="p" my={0}>
      <Text size="xs" c="dimmed" span>
        Examples:
      </Text>
      {examples.slice(0, MAX_EXAMPLES).map((example) => {
        const text = textOf(example);
        return (
          <UnstyledButton
            key={text}
            className="example"
            onClick={() => onChoose(example)}
            title="Use this example"
          >
            {text.length > 40 ? `${text.slice(0, 40)}…` : text}
          </UnstyledButton>
        );
      })}
    </Group>
  );
}

function textOf(example: unknown): string {
  if (typeof example === "string") return example;
  return typeof example === "number" ? formatNumber(example) : JSON.stringify(example);
}
