import { ActionIcon, Group, Pagination, Table, Text, TextInput, Tooltip } from "@mantine/core";
import { IconDownload, IconSearch } from "@tabler/icons-react";
import { useDeferredValue, useMemo, useState } from "react";
import { pluralize } from "@/components/format";
import { contentOf, type Row } from "./content";
import { toCsv } from "./csv";
import { saveAs } from "./download";
import { isEnvelope } from "./envelopes";
import { MediumView } from "./MediumView";
import classes from "./Results.module.css";
import { cellText, columnsOf, flatten, isNumeric, type Order, search, sort } from "./table";

const PAGE_SIZE = 20;
const SEARCHED_FROM = 8;

/** A paged table with search and CSV. Clicking a column heading sorts by it. */
export function DataTable({ rows: records, name }: { rows: Row[]; name: string }) {
  const [page, setPage] = useState(1);
  const [order, setOrder] = useState<Order>(null);
  const [wanted, setWanted] = useState("");
  const text = useDeferredValue(wanted);
  const rows = useMemo(() => records.map((row) => flatten(row)), [records]);
  const columns = useMemo(() => columnsOf(rows), [rows]);
  const numeric = useMemo(
    () => new Set(columns.filter((column) => isNumeric(rows, column))),
    [rows, columns],
  );
  const found = useMemo(() => sort(search(rows, text), order), [rows, text, order]);
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  const current = Math.min(page, pages);
  const shown = found.slice((current - 1) * PAGE_SIZE, current * PAGE_SIZE);
  const sortBy = (column: string) =>
    setOrder({ column, isAscending: order?.column === column ? !order.isAscending : true });
  const download = () => {
    const cells = found.map((row) => columns.map((column) => plainCell(row[column])));
    saveAs(`${name}.csv`, toCsv(columns, cells), "text/csv");
  };
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={6} wrap="nowrap">
        <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
          {found.length < rows.length
            ? `${found.length.toLocaleString("en")} of ${pluralize(rows.length, "row")}`
            : pluralize(rows.length, "row")}
        </Text>
        <Group gap={6} wrap="nowrap" miw={0}>
          {rows.length >= SEARCHED_FROM && (
            <TextInput
              size="xs"
              maw={180}
              leftSection={<IconSearch size={14} />}
              placeholder="Search"
              aria-label={`Search ${name}`}
              value={wanted}
              onChange={(event) => setWanted(event.currentTarget.value)}
            />
          )}
          <Tooltip label="Download CSV">
            <ActionIcon variant="default" size={30} aria-label={`Download ${name} as CSV`} onClick={download}>
              <IconDownload size={15} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      <Table.ScrollContainer minWidth={Math.min(columns.length * 90, 4000)} type="native">
        <Table striped withTableBorder verticalSpacing={4} fz="sm" aria-label={name}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Heading
                  key={column}
                  column={column}
                  isNumeric={numeric.has(column)}
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
                  <Cell key={column} value={row[column]} isNumeric={numeric.has(column)} />
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {pages > 1 && (
        <Group justify="flex-end" mt="xs">
          <Pagination
            size="xs"
            total={pages}
            value={current}
            onChange={setPage}
            getControlProps={(control) => ({ "aria-label": `${control} page` })}
          />
        </Group>
      )}
    </div>
  );
}

function plainCell(value: unknown): unknown {
  return typeof value === "object" && value !== null ? cellText(value) : value;
}

function Heading(props: {
  column: string;
  isNumeric: boolean;
  isAscending: boolean | null;
  sort: () => void;
}) {
  const { column, isNumeric, isAscending, sort } = props;
  return (
    <Table.Th
      className={isNumeric ? `${classes.heading} ${classes.number}` : classes.heading}
      aria-sort={isAscending === null ? "none" : isAscending ? "ascending" : "descending"}
    >
      <button type="button" className="plain" onClick={sort}>
        {column} {isAscending === null ? "" : isAscending ? "↑" : "↓"}
      </button>
    </Table.Th>
  );
}

function Cell({ value, isNumeric }: { value: unknown; isNumeric: boolean }) {
  const content = isEnvelope(value) && value.$type === "bytes" ? contentOf(value) : null;
  const isImage = content?.kind === "medium" && content.medium === "image";
  return (
    <Table.Td
      className={isNumeric ? classes.number : classes.cell}
      title={typeof value === "number" ? String(value) : undefined}
    >
      {isImage ? <MediumView content={content} name="image" /> : cellText(value)}
    </Table.Td>
  );
}
