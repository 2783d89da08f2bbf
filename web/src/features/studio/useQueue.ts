import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, dataOf } from "@/api/client";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { notifyError } from "@/components/notify";
import { GENERATE } from "./content";
import { moved } from "./queue";
import { useQueues } from "./useQueues";

/** My orders that wait: paused and resumed, moved, cleared. */
export function useQueue(room: string, user: string, jobs: Job[]) {
  const client = useQueryClient();
  const queues = useQueues(room, user);
  const changes = queues.map(({ version, changing }) => `${version} ${changing}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a pause that was carried out changes the positions
  useEffect(() => {
    void client.invalidateQueries({ queryKey: ["active", room] });
  }, [client, room, changes]);
  const waiting = jobs.filter((job) => job.user === user && job.status === "pending");
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["groups", room] }),
      client.invalidateQueries({ queryKey: queries.active(room, GENERATE).queryKey }),
      ...waiting.map(({ id }) => client.invalidateQueries({ queryKey: queries.job(id).queryKey })),
    ]);
  const options = { onError: notifyError, onSettled: refresh };
  const pausing = useMutation({
    ...options,
    mutationFn: (paused: boolean) => Promise.all(queues.map(({ id }) => (paused ? pause(id) : resume(id)))),
  });
  const act = (action: "arrange" | "cancel", ids: string[]) =>
    dataOf(
      api.POST("/api/rooms/{room}/jobs/actions", {
        params: { path: { room } },
        body: { action, jobs: ids, tags: [] },
      }),
    );
  const arranging = useMutation({ ...options, mutationFn: (ids: string[]) => act("arrange", ids) });
  const clearing = useMutation({
    ...options,
    mutationFn: () => act("cancel", waiting.map(({ id }) => id).slice(0, MAX_JOBS)),
  });
  const isPaused = queues.some(({ paused }) => paused);
  return {
    waiting,
    isPaused,
    mayPause: queues.length > 0,
    isBusy:
      pausing.isPending ||
      arranging.isPending ||
      clearing.isPending ||
      queues.some(({ changing }) => changing !== null),
    pause: () => pausing.mutate(!isPaused),
    clear: () => clearing.mutate(),
    move: (id: string, by: -1 | 1) =>
      arranging.mutate(
        moved(
          waiting.map((job) => job.id),
          id,
          by,
        ),
      ),
  };
}

const MAX_JOBS = 200;

function pause(group: string) {
  return dataOf(api.POST("/api/groups/{group}/pause", { params: { path: { group } } }));
}

function resume(group: string) {
  return dataOf(api.POST("/api/groups/{group}/resume", { params: { path: { group } } }));
}
