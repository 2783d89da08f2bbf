import { ActionIcon, Button, Group, Input, Text } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { withUnit } from "../schema/names";
import type { FieldProps } from "./form";
import { descriptionOf, useField } from "./useField";

export const PAGE = 50;

/** The frame of a field with several parts: its title, the parts, and its errors. */
export function Parts({ props, children }: { props: FieldProps; children: ReactNode }) {
  const { id, error } = useField(props);
  const { schema } = props.shape;
  const title = withUnit(props.label, schema);
  return (
    <fieldset id={id} tabIndex={-1} className="parts" aria-label={props.isBare ? title : undefined}>
      {!props.isBare && (
        <Text component="legend" className="parts-legend" size="sm" fw={600}>
          {title}
          {props.isRequired && <span style={{ color: "var(--mantine-color-error)" }}> *</span>}
        </Text>
      )}
      {!props.isBare && descriptionOf(schema) && (
        <Input.Description mb={4}>{descriptionOf(schema)}</Input.Description>
      )}
      {children}
      {error && <Input.Error mt={4}>{error}</Input.Error>}
    </fieldset>
  );
}

/** How many of many entries are drawn. */
export function useShown(total: number): { shown: number; more: ReactNode } {
  const [limit, setLimit] = useState(PAGE);
  const shown = Math.min(limit, total);
  const more = total > shown && (
    <Button variant="subtle" size="compact-sm" onClick={() => setLimit(limit + PAGE)}>
      {`Show ${Math.min(PAGE, total - shown)} more of ${total}`}
    </Button>
  );
  return { shown, more };
}

export function AddButton({ id, label, onClick }: { id: string; label: string; onClick: () => void }) {
  return (
    <Group mt={4}>
      <Button
        id={`${id}__add`}
        variant="subtle"
        size="compact-sm"
        leftSection={<IconPlus size={14} />}
        onClick={onClick}
      >
        {label}
      </Button>
    </Group>
  );
}

export function RemoveButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={onClick} mt={3}>
      <IconX size={16} />
    </ActionIcon>
  );
}

/** Whether the limits of a list allow so many entries. */
export function mayHave(count: number, { minItems, maxItems }: { minItems?: unknown; maxItems?: unknown }) {
  return count >= Number(minItems ?? 0) && count <= Number(maxItems ?? Number.POSITIVE_INFINITY);
}
