import { SimpleGrid, Table, Text } from "@mantine/core";
import { Result } from "@/components/results/Result";
import { isReadable, type Line, linesOf, textOf } from "./difference";
import classes from "./History.module.css";

/** Line by line, with differences marked. Values that are too large are shown side by side. */
export function Differences({ name, left, right }: { name: string; left: unknown; right: unknown }) {
  const lines = linesOf(left, right);
  const count = lines.filter((line) => line.differs).length;
  if (lines.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Neither job has any.
      </Text>
    );
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {count === 0 ? "Both are identical." : `${count} of ${lines.length} differ.`}
      </Text>
      {isReadable(lines) ? <Lines name={name} lines={lines} /> : <SideBySide left={left} right={right} />}
    </>
  );
}

function Lines({ name, lines }: { name: string; lines: Line[] }) {
  return (
    <Table.ScrollContainer minWidth={420} type="native">
      <Table withTableBorder layout="fixed" verticalSpacing={4} fz="sm" aria-label={name}>
        <Table.Tbody>
          {lines.map((line) => (
            <LineRow key={line.path} line={line} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function LineRow({ line: { path, left, right, differs } }: { line: Line }) {
  return (
    <Table.Tr className={classes.line} data-differs={differs || undefined}>
      <Table.Th scope="row" fw={400} w="28%" style={{ overflowWrap: "anywhere" }}>
        {path || "value"}
        {differs && " ≠"}
      </Table.Th>
      <Value value={left} isBold={differs} />
      <Value value={right} isBold={differs} />
    </Table.Tr>
  );
}

function Value({ value, isBold }: { value: unknown; isBold: boolean }) {
  return (
    <Table.Td
      ff="monospace"
      fw={isBold ? 600 : 400}
      style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}
    >
      {textOf(value) ?? "–"}
    </Table.Td>
  );
}

function SideBySide({ left, right }: { left: unknown; right: unknown }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
      {[left, right].map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: left and right
        <div key={index} style={{ minWidth: 0, overflow: "auto" }}>
          <Result value={value ?? null} />
        </div>
      ))}
    </SimpleGrid>
  );
}
