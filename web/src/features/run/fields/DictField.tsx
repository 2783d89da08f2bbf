import { Box, Group, Stack, TextInput } from "@mantine/core";
import { emptyValue } from "../schema/defaults";
import { below } from "../schema/pointer";
import { isObject } from "../schema/resolve";
import { isUnparsed, typedIn, unparsed } from "../schema/unparsed";
import { AddButton, Parts, RemoveButton, useShown } from "./Entries";
import { Field } from "./Field";
import type { FieldProps } from "./form";
import { useField } from "./useField";

type Entry = [string, unknown];

/** Keys and values. */
export function DictField(props: FieldProps) {
  const { id, set, root } = useField(props);
  const { additionalProperties: node } = props.shape.schema;
  const entries = entriesOf(props.value);
  const { shown, more } = useShown(entries.length);
  const change = (next: Entry[]) => set(objectOf(next));
  return (
    <Parts props={props}>
      <Stack gap={6}>
        {entries.slice(0, shown).map(([key, value], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the key is what is edited
          <Group key={index} wrap="nowrap" gap={6} align="flex-start">
            <TextInput
              w="38%"
              miw={0}
              aria-label={`Key ${index + 1} of ${props.label}`}
              placeholder="key"
              value={key}
              onChange={({ currentTarget }) => change(entries.with(index, [currentTarget.value, value]))}
            />
            <Box flex={1} miw={0}>
              <Field
                at={isUnparsed(props.value) ? `${props.at}?${index}` : below(props.at, key)}
                node={node}
                value={value}
                label={key ? `${props.label} ${key}` : `Value ${index + 1} of ${props.label}`}
                isRequired
                isBare
                budget={Math.floor(props.budget / (shown + 1))}
                onChange={(next) => change(entries.with(index, [key, next]))}
              />
            </Box>
            <RemoveButton
              label={`Remove ${key || "entry"} of ${props.label}`}
              onClick={() => change(entries.toSpliced(index, 1))}
            />
          </Group>
        ))}
      </Stack>
      {more}
      <AddButton id={id} label="Add" onClick={() => change([...entries, ["", emptyValue(node, root)]])} />
    </Parts>
  );
}

/** Entries whose keys cannot make an object yet are kept as a list. */
function entriesOf(value: unknown): Entry[] {
  if (isUnparsed(value)) return typedIn(value) as Entry[];
  return isObject(value) ? Object.entries(value) : [];
}

function objectOf(entries: Entry[]): unknown {
  const keys = entries.map(([key]) => key);
  const double = keys.find((key, index) => keys.indexOf(key) !== index);
  if (keys.includes("")) return unparsed(entries, "has an entry without a key");
  if (double !== undefined) return unparsed(entries, `has the key “${double}” twice`);
  return Object.fromEntries(entries);
}
