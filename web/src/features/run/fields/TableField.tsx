import { Table, Text } from "@mantine/core";
import { emptyValue } from "../schema/defaults";
import { labelOf, withUnit } from "../schema/names";
import { below } from "../schema/pointer";
import { isConstant, isObject, isRequired, propertiesOf, type Schema, shapeOf } from "../schema/resolve";
import { AddButton, mayHave, Parts, RemoveButton, useShown } from "./Entries";
import { Field } from "./Field";
import type { FieldProps } from "./form";
import { isFlat } from "./Properties";
import { useField } from "./useField";

const MAX_COLUMNS = 8;

/** Whether the entries of a list have so few and simple fields that a table can show them. */
export function isTabular(schema: Schema, root: Schema): boolean {
  const columns = propertiesOf(schema);
  return (
    columns.length > 0 && columns.length <= MAX_COLUMNS && columns.every(([, node]) => isFlat(node, root))
  );
}

/** A list of simple objects as the rows of a table. */
export function TableField(props: FieldProps) {
  const { id, set, root } = useField(props);
  const { items: node, maxItems } = props.shape.schema;
  const item = shapeOf(node, root).schema;
  const rows = Array.isArray(props.value) ? props.value : [];
  const { shown, more } = useShown(rows.length);
  const columns = propertiesOf(item).filter(([, each]) => !isConstant(shapeOf(each, root).schema));
  return (
    <Parts props={props}>
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={Math.min(columns.length * 110 + 40, 900)} type="native">
          <Table withRowBorders={false} horizontalSpacing={4} verticalSpacing={3} className="entry-table">
            <Table.Thead>
              <Table.Tr>
                {columns.map(([name, each]) => (
                  <Table.Th key={name} title={String(shapeOf(each, root).schema.description ?? "")}>
                    <Text span size="xs" c="dimmed" fw={500}>
                      {withUnit(labelOf(name, each), shapeOf(each, root).schema)}
                    </Text>
                  </Table.Th>
                ))}
                <Table.Td w={32} />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.slice(0, shown).map((row, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and fields follow their values
                <Table.Tr key={index}>
                  {columns.map(([name, each]) => (
                    <Table.Td key={name} valign="top">
                      <Field
                        at={below(below(props.at, index), name)}
                        node={each}
                        value={isObject(row) ? row[name] : undefined}
                        label={`${labelOf(name, each)}, row ${index + 1}`}
                        isRequired={isRequired(item, name)}
                        isBare
                        budget={0}
                      />
                    </Table.Td>
                  ))}
                  <Table.Td valign="top" p={0}>
                    <RemoveButton
                      label={`Remove row ${index + 1} of ${props.label}`}
                      onClick={() => set(rows.toSpliced(index, 1))}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {more}
      {mayHave(rows.length + 1, { maxItems }) && (
        <AddButton id={id} label="Add a row" onClick={() => set([...rows, emptyValue(node, root)])} />
      )}
    </Parts>
  );
}
