import { Button, Group, Table, Textarea, TextInput } from "@mantine/core";
import { type ClipboardEvent, useState } from "react";
import { parseGrid } from "../parse/columns";
import { formatNumber } from "../parse/number";
import { below } from "../schema/pointer";
import { type Schema, shapeOf } from "../schema/resolve";
import { isUnparsed, typedIn, unparsed } from "../schema/unparsed";
import { Parts } from "./Entries";
import type { FieldProps } from "./form";
import { useNumber } from "./NumberField";
import { useField } from "./useField";
import { useTyped } from "./useTyped";

const MAX_CELLS = 400;
const MAX_COLUMNS = 12;
const EMPTY = () => unparsed("", "is required");

/** Rows of numbers: a grid of cells, or a text for large ones. */
export function GridField(props: FieldProps) {
  const { set, root } = useField(props);
  const [isText, setText] = useState(false);
  const rows = rowsOf(props.value);
  const isDrawn = rows !== null && fits(rows);
  const cell = cellOf(props.shape.schema, root);
  return (
    <Parts props={props}>
      {isDrawn && !isText ? (
        <Cells props={props} rows={rows} cell={cell} onChange={set} />
      ) : (
        <GridText {...props} isWhole={cell.type === "integer"} />
      )}
      <Group gap={4} mt={4}>
        {isDrawn && !isText && <Growers rows={rows} schema={props.shape.schema} root={root} onChange={set} />}
        {isDrawn && (
          <Button variant="subtle" size="compact-sm" color="gray" onClick={() => setText(!isText)}>
            {isText ? "Edit as a grid" : "Edit as text"}
          </Button>
        )}
      </Group>
    </Parts>
  );
}

type Rows = unknown[][];

function Cells({
  props,
  rows,
  cell,
  onChange,
}: {
  props: FieldProps;
  rows: Rows;
  cell: Schema;
  onChange: (rows: Rows) => void;
}) {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const paste = (event: ClipboardEvent, top: number, left: number) => {
    const grid = parseGrid(event.clipboardData.getData("text"), cell.type === "integer");
    if ("problem" in grid || (grid.value.length < 2 && (grid.value[0]?.length ?? 0) < 2)) return;
    event.preventDefault();
    onChange(pasted(rows, grid.value, top, left));
  };
  if (columns === 0) return null;
  return (
    <Table.ScrollContainer minWidth={Math.min(columns * 72, 900)} type="native">
      <Table
        withRowBorders={false}
        horizontalSpacing={3}
        verticalSpacing={3}
        w="auto"
        className="entry-table"
      >
        <Table.Tbody>
          {rows.map((row, top) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the position is the identity
            <Table.Tr key={top}>
              {Array.from({ length: columns }, (_, left) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the position is the identity
                <Table.Td key={left} onPaste={(event) => paste(event, top, left)} valign="top">
                  <Cell
                    at={below(below(props.at, top), left)}
                    shape={{ schema: cell, isNullable: false, options: [] }}
                    value={row[left]}
                    label={`${props.label}, row ${top + 1}, column ${left + 1}`}
                    isRequired
                    isBare
                    budget={0}
                    onCell={(next) => onChange(rows.with(top, filled(row, left, next)))}
                  />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Cell({ onCell, ...props }: FieldProps & { onCell: (value: unknown) => void }) {
  const { input } = useField(props);
  const number = useNumber(props, (value) => onCell(value === undefined ? EMPTY() : value));
  return <TextInput {...input} {...number} miw={64} w={88} size="xs" />;
}

function Growers({
  rows,
  schema,
  root,
  onChange,
}: {
  rows: Rows;
  schema: Schema;
  root: Schema;
  onChange: (rows: Rows) => void;
}) {
  const columns = Math.max(1, ...rows.map((row) => row.length));
  const inner = shapeOf(schema.items, root).schema;
  const isFixed = schema.minItems !== undefined && schema.minItems === schema.maxItems;
  const isFixedWidth =
    (inner.minItems !== undefined && inner.minItems === inner.maxItems) || rows.length === 0;
  const last = rows.at(-1);
  return (
    <>
      {!isFixed && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() =>
            onChange([
              ...rows,
              Array.from({ length: Number(isFixedWidth ? (inner.minItems ?? columns) : columns) }, EMPTY),
            ])
          }
        >
          Add a row
        </Button>
      )}
      {!isFixedWidth && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => onChange(rows.map((row) => filled(row, columns, EMPTY())))}
        >
          Add a column
        </Button>
      )}
      {!isFixed && last && (
        <Button variant="subtle" size="compact-sm" color="gray" onClick={() => onChange(rows.slice(0, -1))}>
          Remove the last row
        </Button>
      )}
    </>
  );
}

function GridText({ isWhole, ...props }: FieldProps & { isWhole: boolean }) {
  const { set, error } = useField(props, true);
  const { text, type } = useTyped(props, set, {
    parse: (typed) => parseGrid(typed, isWhole),
    format: (value) => (rowsOf(value) ?? []).map((row) => row.map(cellText).join(" ")).join("\n"),
  });
  return (
    <Textarea
      aria-label={props.label}
      error={Boolean(error)}
      autosize
      minRows={3}
      maxRows={16}
      spellCheck={false}
      placeholder={"1 2 3\n4 5 6"}
      value={text}
      onChange={({ currentTarget }) => (currentTarget.value.trim() ? type(currentTarget.value) : set([]))}
    />
  );
}

function cellText(value: unknown): string {
  return isUnparsed(value) ? String(typedIn(value)) : formatNumber(value);
}

export function cellOf(schema: Schema, root: Schema): Schema {
  return shapeOf(shapeOf(schema.items, root).schema.items, root).schema;
}

function rowsOf(value: unknown): Rows | null {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) && value.every(Array.isArray) ? value : null;
}

function fits(rows: Rows): boolean {
  const columns = Math.max(0, ...rows.slice(0, MAX_CELLS).map((row) => row.length));
  return columns <= MAX_COLUMNS && rows.length * columns <= MAX_CELLS && rows.length <= MAX_CELLS;
}

function filled(row: unknown[], index: number, value: unknown): unknown[] {
  return Array.from({ length: Math.max(row.length, index + 1) }, (_, each) =>
    each === index ? value : each < row.length ? row[each] : EMPTY(),
  );
}

function pasted(rows: Rows, grid: number[][], top: number, left: number): Rows {
  const whole = rows.map((row) => [...row]);
  grid.forEach((line, down) => {
    whole[top + down] ??= [];
    line.forEach((value, across) => {
      whole[top + down] = filled(whole[top + down] ?? [], left + across, value);
    });
  });
  return whole;
}
