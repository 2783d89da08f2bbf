import { useContext } from "react";
import { withUnit } from "../schema/names";
import { idOf, pathOf } from "../schema/pointer";
import { ErrorsContext, type FieldProps, useForm } from "./form";

/** The common part of every field. With `isWhole`, errors of its parts are shown here as well. */
export function useField({ at, shape: { schema }, label, isRequired, isBare }: FieldProps, isWhole = false) {
  const { set, room, root } = useForm();
  const error = useError(at, isWhole);
  const title = withUnit(label, schema);
  return {
    id: idOf(at),
    error,
    room,
    root,
    set: (value: unknown) => set(at, value),
    input: {
      id: idOf(at),
      required: isRequired,
      error,
      ...(isBare ? { "aria-label": title } : { label: title, description: descriptionOf(schema) }),
    },
  };
}

export function descriptionOf({ description }: { description?: unknown }): string | undefined {
  return typeof description === "string" ? description : undefined;
}

function useError(at: string, isWhole: boolean): string | undefined {
  const errors = useContext(ErrorsContext);
  const own = errors.get(at);
  if (own !== undefined || !isWhole) return own;
  for (const [place, message] of errors)
    if (place.startsWith(`${at}/`)) return `${positionOf(pathOf(place.slice(at.length)))}: ${message}`;
  return undefined;
}

/** Whether a field at or below one of these places has an error. */
export function useHasErrors(...places: string[]): boolean {
  const wrong = [...useContext(ErrorsContext).keys()];
  return places.some((at) => wrong.some((place) => place === at || place.startsWith(`${at}/`)));
}

/** People count from one. */
function positionOf(path: string[]): string {
  return path.map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part)).join(", ");
}
