import { Text, Textarea } from "@mantine/core";
import { pluralize } from "@/components/format";
import { parseNumbers } from "../parse/columns";
import { formatNumber } from "../parse/number";
import { shapeOf } from "../schema/resolve";
import type { FieldProps } from "./form";
import { useField } from "./useField";
import { useTyped } from "./useTyped";

/** A list of numbers in one box, which takes pasted columns, CSV or numbers with spaces between them. */
export function NumbersField(props: FieldProps) {
  const { set, input, root } = useField(props, true);
  const isWhole = shapeOf(props.shape.schema.items, root).schema.type === "integer";
  const { text, type } = useTyped(withEmptyList(props), set, {
    parse: (typed) => parseNumbers(typed, isWhole),
    format: (value) => (Array.isArray(value) ? value.map(formatNumber).join(", ") : ""),
  });
  return (
    <div>
      <Textarea
        {...input}
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        placeholder="1.5, 2, 3e-4"
        spellCheck={false}
        onChange={({ currentTarget }) => {
          const isCleared = !currentTarget.value.trim() && !props.shape.isNullable;
          return isCleared ? set([]) : type(currentTarget.value);
        }}
      />
      {!props.isBare && Array.isArray(props.value) && (
        <Text size="xs" c="dimmed" mt={4}>
          {pluralize(props.value.length, "number")}
        </Text>
      )}
    </div>
  );
}

/** An empty list is written as no text at all. */
function withEmptyList(props: FieldProps): FieldProps {
  return Array.isArray(props.value) && props.value.length === 0 ? { ...props, value: undefined } : props;
}
