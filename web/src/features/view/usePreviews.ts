import { useEffect } from "react";
import { onJobPositions } from "@/api/jobPositions";
import { useSocketEvents } from "@/api/LiveProvider";
import type { Transition } from "@/api/schema";
import { isOver } from "@/components/state";
import type { Stage } from "./stage";

/** Draws what running jobs show of the current frame, until they end. */
export function usePreviews(room: string, stage: Stage | null): void {
  const listen = useSocketEvents();
  useEffect(() => {
    if (!stage) return;
    return onJobPositions(room, (shown) => stage.preview(shown));
  }, [room, stage]);
  useEffect(
    () =>
      listen("job:state_changed", (transitions) => {
        for (const each of transitions as Transition[]) if (isOver(each)) stage?.endPreview(each.job_id);
      }),
    [listen, stage],
  );
}
