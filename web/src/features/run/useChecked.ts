import { useEffect, useState } from "react";
import type { Values } from "@/components/draft";
import { type FieldError, problemsIn } from "./schema/unparsed";
import { validateAside } from "./validateAside";

const PAUSE_MS = 250;
const MAX_ERRORS = 50;

interface Checked {
  errors: FieldError[];
  values: Values | null;
}

/** The errors of the values, a moment after each change. Until then they are those of the values before. */
export function useChecked(values: Values, schema: object) {
  const [checked, setChecked] = useState<Checked>({ errors: [], values: null });
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const errors = await errorsIn(values, schema);
      if (isCurrent) setChecked({ errors, values });
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [values, schema]);
  const accept = (errors: FieldError[]) => setChecked({ errors, values });
  return { errors: checked.errors, isCurrent: checked.values === values, accept };
}

/** What was refused as it was typed, and what does not fit the schema. */
export async function errorsIn(values: Values, schema: object): Promise<FieldError[]> {
  const problems = problemsIn(values);
  const places = problems.map(({ path }) => path.join("/"));
  const others = await validateAside(values, schema);
  const isElsewhere = ({ path }: FieldError) =>
    !places.some((place) => path.join("/") === place || path.join("/").startsWith(`${place}/`));
  return [...problems, ...others.filter(isElsewhere)].slice(0, MAX_ERRORS);
}
