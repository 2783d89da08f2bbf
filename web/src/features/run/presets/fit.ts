/** Fits the values of a preset to a form that may have changed since they were saved. */
import type { Values } from "@/components/draft";
import { isObject, type Schema } from "../schema/resolve";

export interface Fitted {
  values: Values;
  gone: string[];
}

/** Leaves out the fields that the form no longer has. */
export function fitted(values: Values, schema: Schema): Fitted {
  const isOpen = Boolean(schema.additionalProperties) || isObject(schema.patternProperties);
  const fields = isObject(schema.properties) ? schema.properties : {};
  const isKnown = (name: string) => isOpen || Object.hasOwn(fields, name);
  const kept = Object.entries(values).filter(([name]) => isKnown(name));
  return { values: Object.fromEntries(kept), gone: Object.keys(values).filter((name) => !isKnown(name)) };
}

/** The fields that are gone, in a sentence. */
export function goneSentence(names: string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  const last = quoted.pop();
  return quoted.length
    ? `${quoted.join(", ")} and ${last} are no longer fields of this tool and were left out.`
    : `${last} is no longer a field of this tool and was left out.`;
}
