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
import { batchesOf, combinationsOf, type Sweep, sweepOf, type Texts } from "./sweep";

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

/** Submits the group exactly once: retries use the same idempotency keys. */
export function useRunSweep(room: string, { category, name }: Extension, onGroup: (group: Group) => void) {
  const submitting = useMutation({
    mutationFn: async ({ values, sweep, key }: Submission) => {
      const parameters = [...sweep.lists.keys()];
      const jobs = combinationsOf(values, sweep).map((data) => ({ category, name, data }));
      const [first = [], ...others] = batchesOf(jobs);
      const created = await dataOf(
        api.POST("/api/rooms/{room}/groups", {
          params: { path: { room } },
          headers: headersOf(key),
          body: {
            title: `${titleOf(name)} over ${parameters.join(", ")}`.slice(0, MAX_TITLE),
            parameters,
            jobs: first,
            open: others.length > 0,
          },
        }),
      );
      const group = accepted(created);
      return group.open ? await addTo(group, others, key) : group;
    },
    retry: (tries, error) => !(error instanceof Problem || error instanceof Refused) && tries < 5,
    onSuccess: onGroup,
  });
  return {
    ...submitting,
    run: (values: Values, sweep: Sweep) => submitting.mutate({ values, sweep, key: newKey() }),
  };
}

/** Adds more jobs, and closes the group behind them, also if some are refused. */
async function addTo(group: Group, batches: Job[][], key: string): Promise<Group> {
  const add = (jobs: Job[], open: boolean, part: number | string) =>
    dataOf(
      api.POST("/api/groups/{group}/jobs", {
        params: { path: { group: group.id } },
        headers: headersOf(`${key}-${part}`),
        body: { jobs, open },
      }),
    );
  try {
    for (const [index, batch] of batches.entries()) noteRefusals(await add(batch, true, index));
  } finally {
    group = (await add([], false, "end")).group ?? group;
  }
  return group;
}

type Job = { category: string; name: string; data: Values };

function headersOf(key: string) {
  return { "Idempotency-Key": key, Prefer: "return=minimal" };
}

class Refused extends Error {}

/** The group, unless all of its jobs were refused. */
function accepted(entries: GroupEntries): Group {
  if (!entries.group) throw new Refused(`The jobs were refused: ${refusalsOf(entries).reason}`);
  noteRefusals(entries);
  return entries.group;
}

function noteRefusals(entries: GroupEntries) {
  const { count, reason } = refusalsOf(entries);
  if (count) notify(`${pluralize(count, "job")} refused: ${reason}.`);
}

function refusalsOf({ items }: GroupEntries) {
  const refused = items.flatMap((item) => ("error" in item && item.error ? [item.error] : []));
  const reason = refused[0] && "title" in refused[0] ? refused[0].detail || refused[0].title : "";
  return { count: refused.length, reason };
}
