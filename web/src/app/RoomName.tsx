import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { Room } from "@/api/schema";
import { ViewOnlyBadge } from "@/components/ViewOnly";
import { RoomSettingsButton } from "@/features/rooms/RoomSettingsButton";

export function RoomName({ room: { name, title } }: { room: Pick<Room, "name" | "title"> }) {
  return (
    <>
      <Text c="dimmed" aria-hidden>
        /
      </Text>
      <Anchor component={Link} href={`~/rooms/${name}`} c="inherit" fw={500} truncate underline="never">
        {title || name}
      </Anchor>
      <ViewOnlyBadge room={name} />
      <RoomSettingsButton room={name} />
    </>
  );
}
