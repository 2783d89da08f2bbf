import { Box, Group, Stack } from "@mantine/core";
import type { ClipboardEvent } from "react";
import { emptyValue } from "../schema/defaults";
import { below } from "../schema/pointer";
import { shapeOf } from "../schema/resolve";
import { AddButton, mayHave, Parts, RemoveButton, useShown } from "./Entries";
import { Field } from "./Field";
import type { FieldProps } from "./form";
import { useField } from "./useField";

/** Entries to add and remove. Pasted lines become entries of a list of texts. */
export function ListField(props: FieldProps) {
  const { id, set, root } = useField(props);
  const { items: node } = props.shape.schema;
  const items = Array.isArray(props.value) ? props.value : [];
  const { shown, more } = useShown(items.length);
  const isText = shapeOf(node, root).schema.type === "string" && !shapeOf(node, root).schema.enum;
  const paste = (event: ClipboardEvent, index: number) => {
    const lines = event.clipboardData.getData("text").split(/\r?\n/).filter(Boolean);
    if (!isText || lines.length < 2) return;
    event.preventDefault();
    set(items.toSpliced(index, items[index] ? 0 : 1, ...lines));
  };
  return (
    <Parts props={props}>
      <Stack gap={6}>
        {items.slice(0, shown).map((item, index) => (
          <Group
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no identity, and fields follow their values
            key={index}
            wrap="nowrap"
            gap={4}
            align="flex-start"
            onPaste={(event) => paste(event, index)}
          >
            <Box flex={1} miw={0}>
              <Field
                at={below(props.at, index)}
                node={node}
                value={item}
                label={`${props.label} ${index + 1}`}
                isRequired
                isBare
                budget={Math.floor(props.budget / (shown + 1))}
              />
            </Box>
            <RemoveButton
              label={`Remove ${props.label} ${index + 1}`}
              onClick={() => set(items.toSpliced(index, 1))}
            />
          </Group>
        ))}
      </Stack>
      {more}
      {mayHave(items.length + 1, { maxItems: props.shape.schema.maxItems }) && (
        <AddButton id={id} label="Add" onClick={() => set([...items, entryOf(node)])} />
      )}
    </Parts>
  );

  function entryOf(item: unknown): unknown {
    const empty = emptyValue(item, root);
    return empty === undefined && isText ? "" : empty;
  }
}
