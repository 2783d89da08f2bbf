import { Button, SimpleGrid, Stack } from "@mantine/core";
import { type ComponentProps, useState } from "react";
import { type Property as Entry, rowsOf } from "../schema/layout";
import { labelOf } from "../schema/names";
import { below } from "../schema/pointer";
import {
  isConstant,
  isObject,
  isRequired,
  propertiesOf,
  resolve,
  type Schema,
  shapeOf,
} from "../schema/resolve";
import { SweptField } from "../sweep/SweptField";
import { Field } from "./Field";
import { useForm } from "./form";
import { Fold } from "./GroupField";
import { takesSeveral } from "./registry";
import { useHasErrors } from "./useField";

interface Props {
  at: string;
  schema: Schema;
  value: unknown;
  budget: number;
}

/** The fields of an object in the author's order; then its groups, and last what is advanced. */
export function Properties({ at, schema, value, budget }: Props) {
  const { root } = useForm();
  const all = propertiesOf(schema)
    .map(([name, node]): Entry => [name, node, resolve(node, root)])
    .filter(([, node]) => !isHidden(node, root));
  const shared = { at, schema, value, budget: budgetBelow(all, budget, root) };
  const isPlain = ([, , each]: Entry) => each.advanced !== true && typeof each.group !== "string";
  const groups = Map.groupBy(
    all.filter((each) => each[2].advanced !== true && !isPlain(each)),
    ([, , each]) => String(each.group),
  );
  const advanced = all.filter(([, , each]) => each.advanced === true);
  return (
    <>
      <Fields {...shared} properties={all.filter(isPlain)} limit={budget} />
      {[...groups].map(([title, properties]) => (
        <Section key={title} title={title} isOpen {...shared} properties={properties} limit={budget} />
      ))}
      {advanced.length > 0 && (
        <Section title="Advanced" isOpen={false} {...shared} properties={advanced} limit={budget} />
      )}
    </>
  );
}

interface FieldsProps extends Props {
  properties: Entry[];
  limit: number;
}

function Fields({ at, schema, value, budget, properties, limit }: FieldsProps) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? properties : properties.slice(0, Math.max(limit, 1));
  const values = isObject(value) ? value : {};
  const field = ([name, node]: Entry) => (
    <Property
      key={name}
      at={below(at, name)}
      node={node}
      value={values[name]}
      label={labelOf(name, node)}
      isRequired={isRequired(schema, name)}
      isBare={false}
      budget={budget}
    />
  );
  return (
    <Stack gap="md">
      {rowsOf(shown).map((row) =>
        row.length === 1 ? (
          row.map(field)
        ) : (
          <SimpleGrid key={row[0]?.[0]} cols={{ base: Math.min(row.length, 3), sm: row.length }} spacing="xs">
            {row.map(field)}
          </SimpleGrid>
        ),
      )}
      {shown.length < properties.length && (
        <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)}>
          {`Show ${properties.length - shown.length} more fields`}
        </Button>
      )}
    </Stack>
  );
}

/** Only fields of the job itself take several values, not those of objects in it. */
function Property({ node, ...props }: ComponentProps<typeof Field>) {
  const { root } = useForm();
  const shape = shapeOf(node, root);
  const field = <Field {...props} node={node} />;
  const isOwn = props.at.lastIndexOf("/") === 0;
  if (!isOwn || !takesSeveral(shape, root)) return field;
  return (
    <SweptField {...props} shape={shape}>
      {field}
    </SweptField>
  );
}

function Section({ title, isOpen, ...props }: FieldsProps & { title: string; isOpen: boolean }) {
  const hasErrors = useHasErrors(...props.properties.map(([name]) => below(props.at, name)));
  return (
    <Fold at={props.at} title={title} isOpen={isOpen} hasErrors={hasErrors}>
      <Fields {...props} />
    </Fold>
  );
}

/** A constant needs no field. */
function isHidden(node: unknown, root: Schema): boolean {
  const { schema, options } = shapeOf(node, root);
  return options.length === 0 && isConstant(schema);
}

/** What is left of the budget is shared by the fields that have fields of their own. */
function budgetBelow(properties: Entry[], budget: number, root: Schema): number {
  const nested = properties.filter(([, node]) => !isFlat(node, root)).length;
  return Math.floor((budget - properties.length) / Math.max(nested, 1));
}

export function isFlat(node: unknown, root: Schema): boolean {
  const { schema, options } = shapeOf(node, root);
  return (
    options.length === 0 && schema.type !== "object" && schema.type !== "array" && schema.type !== undefined
  );
}
