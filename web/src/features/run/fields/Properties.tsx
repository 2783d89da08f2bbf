import { Button, Stack } from "@mantine/core";
import { useState } from "react";
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
import { Field } from "./Field";
import { useForm } from "./form";
import { Fold } from "./GroupField";
import { useHasErrors } from "./useField";

interface Props {
  at: string;
  schema: Schema;
  value: unknown;
  budget: number;
}

type Property = [name: string, node: unknown, schema: Schema];

/** The fields of an object in the author's order; then its groups, and last what is advanced. */
export function Properties({ at, schema, value, budget }: Props) {
  const { root } = useForm();
  const all = propertiesOf(schema)
    .map(([name, node]): Property => [name, node, resolve(node, root)])
    .filter(([, node]) => !isHidden(node, root));
  const shared = { at, schema, value, budget: budgetBelow(all, budget, root) };
  const isPlain = ([, , each]: Property) => each.advanced !== true && typeof each.group !== "string";
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
  properties: Property[];
  limit: number;
}

function Fields({ at, schema, value, budget, properties, limit }: FieldsProps) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? properties : properties.slice(0, Math.max(limit, 1));
  const values = isObject(value) ? value : {};
  return (
    <Stack gap="md">
      {shown.map(([name, node]) => (
        <Field
          key={name}
          at={below(at, name)}
          node={node}
          value={values[name]}
          label={labelOf(name, node)}
          isRequired={isRequired(schema, name)}
          isBare={false}
          budget={budget}
        />
      ))}
      {shown.length < properties.length && (
        <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)}>
          {`Show ${properties.length - shown.length} more fields`}
        </Button>
      )}
    </Stack>
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
function budgetBelow(properties: Property[], budget: number, root: Schema): number {
  const nested = properties.filter(([, node]) => !isFlat(node, root)).length;
  return Math.floor((budget - properties.length) / Math.max(nested, 1));
}

export function isFlat(node: unknown, root: Schema): boolean {
  const { schema, options } = shapeOf(node, root);
  return (
    options.length === 0 && schema.type !== "object" && schema.type !== "array" && schema.type !== undefined
  );
}
