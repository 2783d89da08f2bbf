import { Textarea } from "@mantine/core";
import { parseJson } from "../parse/json";
import type { FieldProps } from "./form";
import { descriptionOf, useField } from "./useField";
import { useTyped } from "./useTyped";

const SENTENCES: Record<string, string> = {
  array: 'A list, written as JSON: [1, "two"].',
  object: 'An object, written as JSON: {"key": 1}.',
};
const ANY = 'Any value, written as JSON: 5, "text", [1, 2] or {"key": 1}.';

/** For schemas that have no field of their own. */
export function JsonField(props: FieldProps) {
  const { set, input } = useField(props, true);
  const { schema } = props.shape;
  const { text, type } = useTyped(props, set, {
    parse: parseJson,
    format: (value) => JSON.stringify(value, null, 2),
  });
  const sentence = SENTENCES[String(schema.type)] ?? ANY;
  return (
    <Textarea
      {...input}
      {...(!props.isBare && {
        description: sentences(descriptionOf(schema), sentence),
      })}
      autosize
      minRows={1}
      maxRows={16}
      styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      spellCheck={false}
      value={props.value === null && !props.shape.isNullable ? text || "null" : text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}

function sentences(description: string | undefined, sentence: string): string {
  return description ? `${description.replace(/[.\s]+$/, "")}. ${sentence}` : sentence;
}

/** JSON that is submitted as text. */
export function JsonTextField(props: FieldProps) {
  const { set, input } = useField(props);
  const { text, type } = useTyped(props, set, {
    parse: (typed) => {
      const parsed = parseJson(typed);
      return "problem" in parsed ? parsed : { value: typed };
    },
    format: String,
  });
  return (
    <Textarea
      {...input}
      autosize
      minRows={1}
      maxRows={16}
      styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      spellCheck={false}
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  );
}
