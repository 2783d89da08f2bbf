/** What a field knows of the sweep of its form. */
import { createContext, useContext } from "react";
import type { Sweep, Texts } from "./sweep";

export interface Sweeping {
  texts: Texts;
  sweep: Sweep;
  /** Without a text the field has one value again. */
  set: (name: string, text: string | null) => void;
}

/** Null in a form that submits no jobs. */
export const SweepContext = createContext<Sweeping | null>(null);

export function useSweeping(): Sweeping | null {
  return useContext(SweepContext);
}
