import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, newKey } from "@/api/client";
import { notifyError } from "@/components/notify";

/** Undo, redo, or the number of a version to restore. */
export type Step = "undo" | "redo" | number;

export function useRevert(room: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (step: Step) => send(room, step),
    onSuccess: () => {
      for (const key of ["versions", "documents", "document", "frames"])
        void client.invalidateQueries({ queryKey: [key, room] });
    },
    onError: notifyError,
  });
}

function send(room: string, step: Step) {
  const header = { "Idempotency-Key": newKey() };
  if (typeof step === "number")
    return dataOf(
      api.POST("/api/rooms/{room}/versions/{number}/restore", {
        params: { path: { room, number: step }, header },
      }),
    );
  if (step === "undo")
    return dataOf(api.POST("/api/rooms/{room}/undo", { params: { path: { room }, header } }));
  return dataOf(api.POST("/api/rooms/{room}/redo", { params: { path: { room }, header } }));
}
