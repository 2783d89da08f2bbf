import { Switch } from "@mantine/core";
import type { Room } from "@/api/schema";
import { useRoomChange } from "./useRoomChange";

export function RoomWorkers({ room }: { room: Room }) {
  const changing = useRoomChange(room.name);
  const workers = changing.isPending ? changing.variables.workers : room.workers;
  const isAnyone = workers === "anyone";
  return (
    <Switch
      label="Accept workers from anyone"
      description={
        isAnyone
          ? "Anyone's worker can run other people's tools and read the values of their jobs."
          : "A worker that offers someone else's tool must be accepted first."
      }
      error={changing.error?.message}
      checked={isAnyone}
      onChange={(event) => changing.mutate({ workers: event.currentTarget.checked ? "anyone" : "consent" })}
    />
  );
}
