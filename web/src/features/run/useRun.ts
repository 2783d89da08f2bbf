import { useMutation } from "@tanstack/react-query";
import { api, dataOf, newKey } from "@/api/client";
import { Problem } from "@/api/problem";
import type { ExtensionId } from "@/api/queries";
import type { Job } from "@/api/schema";
import type { Values } from "@/components/draft";

interface Submission {
  values: Values;
  key: string;
}

/** Submits exactly once: retries use the same idempotency key. */
export function useRun(room: string, { category, name }: ExtensionId, onJob: (job: Job | null) => void) {
  const submitting = useMutation({
    mutationFn: ({ values, key }: Submission) =>
      dataOf(
        api.POST("/api/rooms/{room}/extensions/{category}/{name}/submit", {
          params: { path: { room, category, name } },
          headers: { "Idempotency-Key": key },
          body: { data: values },
        }),
      ),
    retry: (tries, error) => !(error instanceof Problem) && tries < 5,
    onSuccess: (response) => onJob("id" in response ? response : null),
  });
  return { ...submitting, run: (values: Values) => submitting.mutate({ values, key: newKey() }) };
}
