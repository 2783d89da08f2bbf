import { useMutation } from "@tanstack/react-query";
import { api, got, newKey } from "@/api/client";
import { Problem } from "@/api/problem";
import type { ExtensionId } from "@/api/queries";
import type { Job } from "@/api/schema";
import type { Values } from "@/components/draft";

interface Order {
  values: Values;
  key: string;
}

/** Submits once: what may have arrived already is sent again under the same key. */
export function useRun(room: string, { category, name }: ExtensionId, onJob: (job: Job | null) => void) {
  const submitting = useMutation({
    mutationFn: ({ values, key }: Order) =>
      got(
        api.POST("/api/rooms/{room}/extensions/{category}/{name}/submit", {
          params: { path: { room, category, name } },
          headers: { "Idempotency-Key": key },
          body: { data: values },
        }),
      ),
    retry: (tries, error) => !(error instanceof Problem) && tries < 5,
    onSuccess: (answer) => onJob("id" in answer ? answer : null),
  });
  return { ...submitting, run: (values: Values) => submitting.mutate({ values, key: newKey() }) };
}
