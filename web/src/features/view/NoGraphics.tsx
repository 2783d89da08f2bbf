import { Alert, NumberInput, Stack, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fetchFrames } from "@/api/frameRequests";
import { BASIC_KEYS, toMolecule } from "./data/molecule";
import { symbolOf } from "./engine/elements";

const MAX_ROWS = 500;

/** For browsers that cannot draw: the same data as a table. */
export function NoGraphics({ room, length }: { room: string; length: number }) {
  const [step, setStep] = useState(0);
  const { data } = useQuery({
    queryKey: ["frame", room, step],
    queryFn: async () => {
      const { frames } = await fetchFrames(room, { start: step, stop: step + 1, keys: BASIC_KEYS });
      return frames[0] ? toMolecule(frames[0]) : null;
    },
  });
  const count = data?.numbers.length ?? 0;
  return (
    <Stack>
      <Alert title="This browser cannot draw the atoms" role="status">
        The picture needs WebGL 2, which is switched off or not supported here. These are the positions in Å
        {count > MAX_ROWS && `, of the first ${MAX_ROWS} of ${count} atoms`}.
      </Alert>
      <NumberInput
        label={`Frame, 0 to ${length - 1}`}
        value={step}
        min={0}
        max={length - 1}
        onChange={(value) => setStep(Math.max(0, Math.min(length - 1, Number(value) || 0)))}
        maw={200}
      />
      <Table aria-label="Positions" striped>
        <Table.Thead>
          <Table.Tr>
            {["Atom", "Element", "x", "y", "z"].map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Array.from({ length: Math.min(count, MAX_ROWS) }, (_, atom) => atom).map((atom) => (
            <Table.Tr key={atom}>
              <Table.Td>{atom}</Table.Td>
              <Table.Td>{symbolOf(data?.numbers[atom] ?? 0)}</Table.Td>
              {[0, 1, 2].map((axis) => (
                <Table.Td key={axis}>{data?.positions[atom * 3 + axis]?.toFixed(3)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}
