import { useMutation } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { api, dataOf, newKey } from "@/api/client";
import { Problem } from "@/api/problem";
import type { Extension, Group, GroupEntries } from "@/api/schema";
import type { Values } from "@/components/draft";
import { pluralize } from "@/components/format";
import { notify } from "@/components/notify";
import { titleOf } from "@/components/tools";
import type { Sweeping } from "./context";
import { combinationsOf, type Sweep, sweepOf, type Texts } from "./sweep";

/** The fields of the form that have several values. `onChange` is called when they change. */
export function useSweep(schema: Extension["schema"], onChange: () => void): Sweeping {
  const [texts, setTexts] = useState<Texts>(new Map());
  const set = useCallback(
    (name: string, text: string | null) => {
      setTexts((before) => {
        const next = new Map(before);
        if (text === null) next.delete(name);
        else next.set(name, text);
        return next;
      });
      onChange();
    },
    [onChange],
  );
  return useMemo(() => ({ texts, set, sweep: sweepOf(texts, schema) }), [texts, set, schema]);
}

const MAX_TITLE = 200;

interface Submission {
  values: Values;
  sweep: Sweep;
  key: string;
}

/** Submits the group exactly once: retries use the same idempotency key. */
export function useRunSweep(room: string, { category, name }: Extension, onGroup: (group: Group) => void) {
  const submitting = useMutation({
    mutationFn: ({ values, sweep, key }: Submission) => {
      const parameters = [...sweep.lists.keys()];
      return dataOf(
        api.POST("/api/rooms/{room}/groups", {
          params: { path: { room } },
          headers: { "Idempotency-Key": key, Prefer: "return=minimal" },
          body: {
            title: `${titleOf(name)} over ${parameters.join(", ")}`.slice(0, MAX_TITLE),
            parameters,
            jobs: combinationsOf(values, sweep).map((data) => ({ category, name, data })),
          },
        }),
      ).then(accepted);
    },
    retry: (tries, error) => !(error instanceof Problem || error instanceof Refused) && tries < 5,
    onSuccess: onGroup,
  });
  return {
    ...submitting,
    run: (values: Values, sweep: Sweep) => submitting.mutate({ values, sweep, key: newKey() }),
  };
}

class Refused extends Error {}

/** The group, unless all of its jobs were refused. */
function accepted({ group, items }: GroupEntries): Group {
  const refused = items.flatMap((item) => ("error" in item && item.error ? [item.error] : []));
  const reason = refused[0] && "title" in refused[0] ? refused[0].detail || refused[0].title : "";
  if (!group) throw new Refused(`The jobs were refused: ${reason}`);
  if (refused.length) notify(`${pluralize(refused.length, "job")} refused: ${reason}.`);
  return group;
}
