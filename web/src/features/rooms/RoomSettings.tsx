import { Divider, Stack } from "@mantine/core";
import type { Room } from "@/api/schema";
import { DeleteRoom } from "./DeleteRoom";
import { Invite } from "./Invite";
import { Members } from "./Members";
import { RoomPrivacy } from "./RoomPrivacy";
import { RoomTitle } from "./RoomTitle";
import { RoomWorkers } from "./RoomWorkers";

export default function RoomSettings({ room }: { room: Room }) {
  return (
    <Stack gap="lg">
      <RoomTitle room={room} />
      <RoomPrivacy room={room} />
      <RoomWorkers room={room} />
      <Divider />
      <Members room={room} />
      <Invite room={room} />
      <Divider />
      <DeleteRoom room={room.name} />
    </Stack>
  );
}
