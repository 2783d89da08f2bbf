import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { api, dataOf, newKey } from "@/api/client";
import { documentWritten, type WriteOptions } from "@/api/documents";
import { changeFrame } from "@/api/frameRequests";
import { hasCode } from "@/api/problem";
import { notify, notifyError } from "@/components/notify";
import type { Edit, Stage } from "./stage";

interface Written {
  readonly change: Edit;
  readonly summary: string;
  readonly step: number;
  /** What is selected then; nothing if that stays. */
  readonly after: number[] | undefined;
}

type Select = (atoms: number[], edit: WriteOptions) => void;

/** Changes of the shown frame, and taking them back. What a change does to the selection is part of its version. */
export function useEdits(room: string, stage: Stage | null, select: Select) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    scope: scopeOf(room),
    mutationFn: async ({ change, summary, step, after }: Written) => {
      const edit = { summary, group: newKey() };
      await documentWritten(client, room, "selection");
      await changeFrame(room, step, change, edit);
      if (after) select(after, edit);
    },
    onError: (error) => {
      notifyError(error);
      const { shown } = stage?.state.get() ?? {};
      if (shown) stage?.view.setFrame(shown.molecule); // what was dragged goes back
    },
  });
  const edit = useCallback(
    (change: Edit, summary: string, after?: number[]) => {
      if (stage) mutate({ change, summary, step: stage.state.get().step, after });
    },
    [stage, mutate],
  );
  const undo = useRevert(room, "undo");
  const redo = useRevert(room, "redo");
  return { edit, isPending, undo, redo };
}

/** One after the other, in the order of the clicks. */
const scopeOf = (room: string) => ({ id: `edits of ${room}` });

/** Edits of the frames, and nothing of what the room shares beside them. */
function useRevert(room: string, kind: "undo" | "redo"): () => void {
  const client = useQueryClient();
  const { mutate } = useMutation({
    scope: scopeOf(room),
    mutationFn: async () => {
      await documentWritten(client, room, "selection"); // a change that came after would end what can be redone
      await dataOf(
        api.POST(`/api/rooms/{room}/${kind}`, {
          params: {
            path: { room },
            query: { target: "frames" },
            header: { "Idempotency-Key": newKey() },
          },
        }),
      );
    },
    onError: (error) => {
      if (hasCode(error, "nothing_to_revert"))
        notify(kind === "undo" ? "Nothing to undo" : "Nothing to redo");
      else notifyError(error);
    },
  });
  return useCallback(() => mutate(), [mutate]);
}
