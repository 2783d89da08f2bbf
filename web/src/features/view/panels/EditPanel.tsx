import { Button, Group, NumberInput, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { addAtom, centreOf, changeElement, deleteAtoms, moveAtoms, rotateAtoms } from "../edit/edits";
import { numberOf, symbols } from "../engine/elements";
import { atomsInWords, type Edit, type Shown } from "../stage";

interface Props {
  shown: Shown;
  selection: readonly number[];
  onEdit: (change: Edit, summary: string, after?: number[]) => void;
}

type Axis = "x" | "y" | "z";

const AXES: Axis[] = ["x", "y", "z"];
const NEW_ATOM_DISTANCE = 1.5; // Å from what is selected

/** Changes of the selected atoms; each can be undone. */
export function EditPanel({ shown, selection, onEdit }: Props) {
  const [element, setElement] = useState("C");
  const hasSelection = selection.length > 0;
  const words = atomsInWords(selection.length);
  const add = () => {
    const centre = centreOf(shown.molecule.positions, selection);
    const place = [centre[0] + (hasSelection ? NEW_ATOM_DISTANCE : 0), centre[1], centre[2]] as const;
    onEdit((frame) => addAtom(frame, numberOf(element), place), `Add ${element}`);
  };
  const remove = () => onEdit((frame) => deleteAtoms(frame, selection), `Delete ${words}`, []);
  return (
    <Stack gap="xs">
      <Moves selection={selection} onEdit={onEdit} />
      <Select
        label="Element"
        size="xs"
        searchable
        data={symbols.slice(1)}
        value={element}
        onChange={(value) => value && setElement(value)}
        allowDeselect={false}
      />
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          disabled={!hasSelection}
          onClick={() =>
            onEdit(
              (frame) => changeElement(frame, selection, numberOf(element)),
              `Change ${words} to ${element}`,
            )
          }
        >
          Change element
        </Button>
        <Button size="xs" variant="default" onClick={add}>
          Add atom
        </Button>
        <Button size="xs" variant="default" color="red" disabled={!hasSelection} onClick={remove}>
          Delete
        </Button>
      </Group>
    </Stack>
  );
}

function Moves({ selection, onEdit }: Pick<Props, "selection" | "onEdit">) {
  const [distance, setDistance] = useState(0.5);
  const [degrees, setDegrees] = useState(15);
  const words = atomsInWords(selection.length);
  const unit = (axis: Axis) => AXES.map((each) => Number(each === axis)) as [number, number, number];
  const move = (axis: Axis) => {
    const [x, y, z] = unit(axis);
    onEdit(
      (frame) => moveAtoms(frame, selection, [x * distance, y * distance, z * distance]),
      `Move ${words}`,
    );
  };
  const turn = (axis: Axis) =>
    onEdit((frame) => rotateAtoms(frame, selection, unit(axis), degrees), `Rotate ${words}`);
  return (
    <>
      <Row
        label="Move by (Å)"
        value={distance}
        onValue={setDistance}
        onAxis={move}
        isDisabled={!selection.length}
      />
      <Row
        label="Rotate by (°)"
        value={degrees}
        onValue={setDegrees}
        onAxis={turn}
        isDisabled={!selection.length}
      />
    </>
  );
}

interface RowProps {
  label: string;
  value: number;
  onValue: (value: number) => void;
  onAxis: (axis: Axis) => void;
  isDisabled: boolean;
}

function Row({ label, value, onValue, onAxis, isDisabled }: RowProps) {
  return (
    <Group gap={6} align="end" wrap="nowrap">
      <NumberInput
        label={label}
        size="xs"
        w={110}
        value={value}
        onChange={(next) => typeof next === "number" && onValue(next)}
      />
      {AXES.map((axis) => (
        <Button
          key={axis}
          size="xs"
          px={12}
          variant="default"
          disabled={isDisabled}
          aria-label={`${label.split(" ")[0]} along ${axis}`}
          onClick={() => onAxis(axis)}
        >
          <Text size="xs">{axis}</Text>
        </Button>
      ))}
    </Group>
  );
}
