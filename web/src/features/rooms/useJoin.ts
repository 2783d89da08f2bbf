import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import type { Room } from "@/api/schema";
import type { Invite } from "@/components/invite";

/** Becomes a member of a room with an invite. */
export function useJoin(onJoined: (room: Room) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ room, code }: Invite) =>
      dataOf(api.POST("/api/rooms/{room}/members", { params: { path: { room } }, body: { code } })),
    onSuccess: (room) => {
      void client.invalidateQueries({ queryKey: ["rooms"] });
      onJoined(room);
    },
  });
}
