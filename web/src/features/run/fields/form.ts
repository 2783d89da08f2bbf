/** What every field knows of its form. */
import { createContext, useContext } from "react";
import type { Schema, Shape } from "../schema/resolve";

export interface Form {
  root: Schema;
  room: string;
  set: (at: string, value: unknown) => void;
  touch: (at: string) => void;
}

/** Messages by the pointers of their fields. */
export type Errors = ReadonlyMap<string, string>;

export interface FieldProps {
  at: string;
  shape: Shape;
  value: unknown;
  label: string;
  isRequired: boolean;
  /** In a cell of a table: the label is read, not shown. */
  isBare: boolean;
  /** How many fields may be drawn below this one. */
  budget: number;
}

export const FormContext = createContext<Form | null>(null);
export const ErrorsContext = createContext<Errors>(new Map());

export function useForm(): Form {
  const form = useContext(FormContext);
  if (!form) throw new Error("a field needs a form");
  return form;
}
