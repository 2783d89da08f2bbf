import { useMutation } from "@tanstack/react-query";
import { useCallback } from "react";
import { api, dataOf, newKey } from "@/api/client";
import { fetchFrames, setFrame } from "@/api/frameRequests";
import { hasCode } from "@/api/problem";
import { notify, notifyError } from "@/components/notify";
import type { Edit, Stage } from "./stage";

/** Changes of the shown frame, and taking them back. */
export function useEdits(room: string, stage: Stage | null) {
  const { mutate, isPending } = useMutation({
    mutationFn: async ({ change, summary, step }: { change: Edit; summary: string; step: number }) => {
      const { frames } = await fetchFrames(room, { start: step, stop: step + 1 });
      if (frames[0]) await setFrame(room, step, change(frames[0]), summary);
    },
    onError: (error) => {
      notifyError(error);
      const { shown } = stage?.state.get() ?? {};
      if (shown) stage?.view.setFrame(shown.molecule); // what was dragged goes back
    },
  });
  const edit = useCallback(
    (change: Edit, summary: string) => {
      if (stage) mutate({ change, summary, step: stage.state.get().step });
    },
    [stage, mutate],
  );
  const undo = useRevert(room, "undo");
  const redo = useRevert(room, "redo");
  return { edit, isPending, undo, redo };
}

function useRevert(room: string, kind: "undo" | "redo"): () => void {
  const { mutate } = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST(`/api/rooms/{room}/${kind}`, {
          params: { path: { room }, header: { "Idempotency-Key": newKey() } },
        }),
      ),
    onError: (error) => {
      if (hasCode(error, "nothing_to_revert"))
        notify(kind === "undo" ? "Nothing to undo" : "Nothing to redo");
      else notifyError(error);
    },
  });
  return useCallback(() => mutate(), [mutate]);
}
