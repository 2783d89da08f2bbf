import { SimpleGrid } from "@mantine/core";
import { optionLabel } from "../schema/names";
import { below } from "../schema/pointer";
import { resolve, type Schema } from "../schema/resolve";
import { Parts } from "./Entries";
import { Field } from "./Field";
import type { FieldProps } from "./form";
import { useField } from "./useField";

const MAX_SHOWN = 50;

/** A fixed number of values side by side. */
export function TupleField(props: FieldProps) {
  const { set, root } = useField(props);
  const nodes = ((props.shape.schema.prefixItems as unknown[]) ?? []).slice(0, MAX_SHOWN);
  const values = Array.isArray(props.value) ? props.value : [];
  const replace = (index: number, next: unknown) =>
    set(nodes.map((_, each) => (each === index ? next : values[each])));
  return (
    <Parts props={props}>
      <SimpleGrid cols={{ base: Math.min(nodes.length, 3), sm: Math.min(nodes.length, 4) }} spacing="xs">
        {nodes.map((node, index) => (
          <Field
            // biome-ignore lint/suspicious/noArrayIndexKey: the position is the identity
            key={index}
            at={below(props.at, index)}
            node={node}
            value={values[index]}
            label={`${props.label} ${index + 1}, ${nameOf(resolve(node, root))}`}
            isRequired
            isBare
            budget={Math.floor(props.budget / (nodes.length + 1))}
            onChange={(next) => replace(index, next)}
          />
        ))}
      </SimpleGrid>
    </Parts>
  );
}

function nameOf(schema: Schema): string {
  return optionLabel(schema).toLowerCase();
}
