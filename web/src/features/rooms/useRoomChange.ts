import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import { queries } from "@/api/queries";
import type { RoomChange } from "@/api/schema";

export function useRoomChange(room: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RoomChange) =>
      dataOf(api.PATCH("/api/rooms/{room}", { params: { path: { room } }, body })),
    onSuccess: (changed) => client.setQueryData(queries.room(room).queryKey, changed),
  });
}
