import { ActionIcon, Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useDocument } from "@/api/documents";

interface Props {
  room: string;
  selection: readonly number[];
  mayEdit: boolean;
  onSelect: (atoms: number[]) => void;
}

/** Selections that were given a name. */
export function Groups({ room, selection, mayEdit, onSelect }: Props) {
  const [groups, write] = useDocument<Record<string, number[]>>(room, "selection_groups", {});
  const [name, setName] = useState("");
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) write({ ...groups, [name.trim()]: [...selection] });
    setName("");
  };
  const remove = (gone: string) => {
    const { [gone]: _gone, ...rest } = groups;
    write(rest);
  };
  return (
    <Stack gap={4}>
      {Object.entries(groups).map(([each, atoms]) => (
        <Group key={each} gap={4} wrap="nowrap">
          <Anchor component="button" size="sm" onClick={() => Array.isArray(atoms) && onSelect(atoms)}>
            {each}
          </Anchor>
          <Text size="xs" c="dimmed">
            {Array.isArray(atoms) ? atoms.length : 0}
          </Text>
          {mayEdit && (
            <ActionIcon size="xs" variant="subtle" aria-label={`Delete ${each}`} onClick={() => remove(each)}>
              <IconX size={12} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {mayEdit && selection.length > 0 && (
        <form onSubmit={save}>
          <Group gap="xs" align="end" wrap="nowrap">
            <TextInput
              label="Name of this selection"
              size="xs"
              flex={1}
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" size="xs" variant="default">
              Keep
            </Button>
          </Group>
        </form>
      )}
    </Stack>
  );
}
