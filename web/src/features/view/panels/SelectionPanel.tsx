import { Button, Group, Stack, Switch, Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { symbolOf } from "../engine/elements";
import { atomValuesOf } from "../inspect";
import { describe, measure } from "../measure";
import { atomsInWords, type Edit, type Shown, type Stage } from "../stage";
import { useStore } from "../store";
import { EditPanel } from "./EditPanel";
import { Groups } from "./Groups";

interface Props {
  room: string;
  stage: Stage;
  selection: readonly number[];
  /** Who selected what. */
  selectedBy: ReactNode;
  mayEdit: boolean;
  isEditing: boolean;
  onEditing: (isEditing: boolean) => void;
  onSelect: (atoms: number[]) => void;
  onEdit: (change: Edit, summary: string, after?: number[]) => void;
}

const MAX_ROWS = 12;

/** What is selected, what it measures, and what can be done with it. */
export function SelectionPanel(props: Props) {
  const { room, stage, selectedBy, mayEdit, isEditing, onEditing, onSelect, onEdit } = props;
  const shown = useStore(stage.state, (state) => state.shown);
  if (!shown) return null;
  const count = shown.molecule.numbers.length;
  const selection = props.selection.filter((atom) => atom < count);
  const measured = measure(shown.molecule, selection);
  const chosen = new Set(selection);
  const all = Array.from({ length: count }, (_, atom) => atom);
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {selection.length ? `${atomsInWords(selection.length)} selected` : "Nothing is selected."}
        {measured && `. ${describe(measured)}`}
      </Text>
      {selectedBy}
      {selection.length === 0 && (
        <Text size="sm" c="dimmed">
          Click an atom; Shift-click takes more; Shift-drag draws a box; a double click takes the molecule.
          Two atoms show their distance, three an angle, four a dihedral.
        </Text>
      )}
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => onSelect(all)}>
          All
        </Button>
        <Button size="xs" variant="default" onClick={() => onSelect([])}>
          None
        </Button>
        <Button size="xs" variant="default" onClick={() => onSelect(all.filter((atom) => !chosen.has(atom)))}>
          Invert
        </Button>
      </Group>
      {selection.length > 0 && <Atoms shown={shown} selection={selection} />}
      <Groups room={room} selection={selection} mayEdit={mayEdit} onSelect={onSelect} />
      {mayEdit && (
        <Switch
          label="Edit mode"
          description="Drag selected atoms to move them, with Shift to turn them"
          checked={isEditing}
          onChange={(event) => onEditing(event.currentTarget.checked)}
        />
      )}
      {mayEdit && isEditing && <EditPanel shown={shown} selection={selection} onEdit={onEdit} />}
    </Stack>
  );
}

function Atoms({ shown, selection }: { shown: Shown; selection: readonly number[] }) {
  const { numbers, positions } = shown.molecule;
  return (
    <Table aria-label="Selected atoms" fz="xs" verticalSpacing={2} horizontalSpacing={4}>
      <Table.Tbody>
        {selection.slice(0, MAX_ROWS).map((atom) => (
          <Table.Tr key={atom}>
            <Table.Td>{symbolOf(numbers[atom] ?? 0)}</Table.Td>
            <Table.Td>{atom}</Table.Td>
            <Table.Td>
              {[0, 1, 2].map((axis) => (positions[atom * 3 + axis] ?? 0).toFixed(3)).join(", ")}
              {atomValuesOf(shown.frame, atom, numbers.length).map(([key, value]) => (
                <div key={key}>
                  {key} {value}
                </div>
              ))}
            </Table.Td>
          </Table.Tr>
        ))}
        {selection.length > MAX_ROWS && (
          <Table.Tr>
            <Table.Td colSpan={3}>and {atomsInWords(selection.length - MAX_ROWS)} more</Table.Td>
          </Table.Tr>
        )}
      </Table.Tbody>
    </Table>
  );
}
