import { Switch } from "@mantine/core";
import type { Room } from "@/api/schema";
import { useRoomChange } from "./useRoomChange";

export function RoomDoor({ room }: { room: Room }) {
  const changing = useRoomChange(room.name);
  const isPrivate = changing.isPending ? changing.variables.private === true : room.private;
  return (
    <Switch
      label="Private"
      description={isPrivate ? "Only members get in." : "Everybody who reaches this server gets in."}
      error={changing.error?.message}
      checked={isPrivate}
      onChange={(event) => changing.mutate({ private: event.currentTarget.checked })}
    />
  );
}
