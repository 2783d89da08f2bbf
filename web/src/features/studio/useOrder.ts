import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, newKey } from "@/api/client";
import { hasCode, Problem } from "@/api/problem";
import { queries } from "@/api/queries";
import type { Values } from "@/components/draft";
import { notifyError } from "@/components/notify";
import { GENERATE } from "./content";
import { QUEUE_TITLE } from "./queue";
import { useQueues } from "./useQueues";

interface Submission {
  payloads: Values[];
  key: string;
}

/** Adds orders to my queue, each exactly once: retries use the same idempotency key. */
export function useOrder(room: string) {
  const client = useQueryClient();
  const { data: me } = useQuery(queries.me());
  const queue = useQueues(room, me?.user)[0]?.id;
  const submitting = useMutation({
    mutationFn: async (submission: Submission) => {
      const entries = await submit(room, queue, submission);
      for (const each of entries) if ("error" in each) throw new Problem(each.error);
    },
    retry: (tries, error) => !(error instanceof Problem) && tries < 5,
    onError: notifyError,
    onSettled: () => client.invalidateQueries({ queryKey: ["groups", room] }),
  });
  const order = (payloads: Values[]) => submitting.mutate({ payloads, key: newKey() });
  return { order, isPending: submitting.isPending };
}

async function submit(room: string, queue: string | undefined, { payloads, key }: Submission) {
  const body = { jobs: payloads.map((data) => ({ ...GENERATE, data })), open: true };
  const headers = { "Idempotency-Key": key };
  try {
    if (queue) {
      const params = { path: { group: queue } };
      return (await dataOf(api.POST("/api/groups/{group}/jobs", { params, headers, body }))).items;
    }
  } catch (error) {
    if (!hasCode(error, "group_closed", "group_not_found")) throw error;
  }
  const titled = { ...body, title: QUEUE_TITLE };
  const params = { path: { room } };
  return (await dataOf(api.POST("/api/rooms/{room}/groups", { params, headers, body: titled }))).items;
}
