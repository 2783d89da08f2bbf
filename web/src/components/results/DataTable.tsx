import { Group, Pagination, Table, Text } from "@mantine/core";
import { useState } from "react";
import { pluralize } from "@/components/format";
import type { Row } from "./content";

const PAGE_SIZE = 20;

/** A paged table. Clicking a column heading sorts by it. */
export function DataTable({ rows, name }: { rows: Row[]; name: string }) {
  const [page, setPage] = useState(1);
  const [order, setOrder] = useState<{ column: string; isAscending: boolean } | null>(null);
  const columns = [...new Set(rows.slice(0, 100).flatMap(Object.keys))];
  const sorted = order
    ? rows.toSorted((a, b) => compare(a[order.column], b[order.column], order.isAscending))
    : rows;
  const shown = sorted.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const sortBy = (column: string) =>
    setOrder({ column, isAscending: order?.column === column ? !order.isAscending : true });
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
                  isAscending={order?.column === column ? order.isAscending : null}
                  sort={() => sortBy(column)}
                />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no ids
              <Table.Tr key={index}>
                {columns.map((column) => (
                  <Table.Td key={column}>{textOf(row[column])}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length > PAGE_SIZE && (
        <Group justify="space-between" mt="xs">
          <Text size="xs" c="dimmed">
            {pluralize(rows.length, "row")}
          </Text>
          <Pagination
            size="xs"
            total={Math.ceil(rows.length / PAGE_SIZE)}
            value={page}
            onChange={setPage}
            getControlProps={(control) => ({ "aria-label": `${control} page` })}
          />
        </Group>
      )}
    </div>
  );
}

function Heading({
  column,
  isAscending,
  sort,
}: {
  column: string;
  isAscending: boolean | null;
  sort: () => void;
}) {
  return (
    <Table.Th aria-sort={isAscending === null ? "none" : isAscending ? "ascending" : "descending"}>
      <button type="button" className="plain" onClick={sort}>
        {column} {isAscending === null ? "" : isAscending ? "↑" : "↓"}
      </button>
    </Table.Th>
  );
}

function compare(a: unknown, b: unknown, isAscending: boolean): number {
  const result =
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a ?? "").localeCompare(String(b ?? ""), "en", { numeric: true });
  return isAscending ? result : -result;
}

function textOf(value: unknown): string {
  if (typeof value === "number")
    return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  return value === null || value === undefined ? "" : String(value);
}
