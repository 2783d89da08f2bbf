import { Switch } from "@mantine/core";
import type { Room } from "@/api/schema";
import { useRoomChange } from "./useRoomChange";

export function RoomPrivacy({ room }: { room: Room }) {
  const changing = useRoomChange(room.name);
  const isPrivate = changing.isPending ? changing.variables.private === true : room.private;
  return (
    <Switch
      label="Private"
      description={isPrivate ? "Only members can enter." : "Everyone who can reach this server can enter."}
      error={changing.error?.message}
      checked={isPrivate}
      onChange={(event) => changing.mutate({ private: event.currentTarget.checked })}
    />
  );
}
