import { Switch } from "@mantine/core";
import type { Room } from "@/api/schema";
import { useRoomChange } from "./useRoomChange";

export function RoomDoor({ room }: { room: Room }) {
  const changing = useRoomChange(room.name);
  return (
    <Switch
      label="Private"
      description={room.private ? "Only members get in." : "Everybody who reaches this server gets in."}
      error={changing.error?.message}
      checked={room.private}
      disabled={changing.isPending}
      onChange={(event) => changing.mutate({ private: event.currentTarget.checked })}
    />
  );
}
