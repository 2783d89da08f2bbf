import { Group, Pagination, Table, Text } from "@mantine/core";
import { useState } from "react";
import { counted } from "@/components/words";
import type { Row } from "./thing";

const PAGE = 20;

/** Rows, a page at a time; a click on a heading sorts. */
export function Records({ rows, name }: { rows: Row[]; name: string }) {
  const [page, setPage] = useState(1);
  const [order, setOrder] = useState<{ column: string; isUp: boolean } | null>(null);
  const columns = [...new Set(rows.slice(0, 100).flatMap(Object.keys))];
  const sorted = order
    ? rows.toSorted((a, b) => compared(a[order.column], b[order.column], order.isUp))
    : rows;
  const shown = sorted.slice((page - 1) * PAGE, page * PAGE);
  const sortBy = (column: string) =>
    setOrder({ column, isUp: order?.column === column ? !order.isUp : true });
  return (
    <div>
      <Table.ScrollContainer minWidth={columns.length * 90} type="native">
        <Table striped withTableBorder verticalSpacing={4} fz="sm" aria-label={name}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Heading
                  key={column}
                  column={column}
                  isUp={order?.column === column ? order.isUp : null}
                  sort={() => sortBy(column)}
                />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names
              <Table.Tr key={index}>
                {columns.map((column) => (
                  <Table.Td key={column}>{textOf(row[column])}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length > PAGE && (
        <Group justify="space-between" mt="xs">
          <Text size="xs" c="dimmed">
            {counted(rows.length, "row")}
          </Text>
          <Pagination
            size="xs"
            total={Math.ceil(rows.length / PAGE)}
            value={page}
            onChange={setPage}
            getControlProps={(control) => ({ "aria-label": `${control} page` })}
          />
        </Group>
      )}
    </div>
  );
}

function Heading({ column, isUp, sort }: { column: string; isUp: boolean | null; sort: () => void }) {
  return (
    <Table.Th aria-sort={isUp === null ? "none" : isUp ? "ascending" : "descending"}>
      <button type="button" className="plain" onClick={sort}>
        {column} {isUp === null ? "" : isUp ? "↑" : "↓"}
      </button>
    </Table.Th>
  );
}

function compared(a: unknown, b: unknown, isUp: boolean): number {
  const found =
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a ?? "").localeCompare(String(b ?? ""), "en", { numeric: true });
  return isUp ? found : -found;
}

function textOf(value: unknown): string {
  if (typeof value === "number")
    return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  return value === null || value === undefined ? "" : String(value);
}
