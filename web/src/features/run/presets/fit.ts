/** What of a form can be saved, and what of a preset fits a form that may have changed since. */
import type { Values } from "@/components/draft";
import { labelOf } from "../schema/names";
import { isObject, propertiesOf, type Schema } from "../schema/resolve";
import { problemsIn } from "../schema/unparsed";

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
  return names.length > 1
    ? `${listed(names)} are no longer fields of this tool and were left out.`
    : `${listed(names)} is no longer a field of this tool and was left out.`;
}

/** Why these values cannot be saved, or `null`. What was typed and refused has no value. */
export function refusalOf(values: Values, schema: Schema): string | null {
  const fields = new Map(propertiesOf(schema));
  const names = new Set(problemsIn(values).map(({ path: [name = ""] }) => labelOf(name, fields.get(name))));
  if (names.size === 0) return null;
  return names.size > 1
    ? `${listed([...names])} have no valid values. Correct them before you save.`
    : `${listed([...names])} has no valid value. Correct it before you save.`;
}

function listed(names: string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  const last = quoted.pop() ?? "";
  return quoted.length ? `${quoted.join(", ")} and ${last}` : last;
}
