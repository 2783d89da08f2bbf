import { Badge, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";

/** Whether the caller may only read this room. */
export function useIsViewer(room: string): boolean {
  const { data } = useQuery({ ...queries.room(room), enabled: room !== "" });
  return data?.role === "viewer";
}

export const VIEW_ONLY = "You may only view this room.";

export function ViewOnlyText() {
  return (
    <Text size="sm" c="dimmed">
      {VIEW_ONLY}
    </Text>
  );
}

export function ViewOnlyBadge({ room }: { room: string }) {
  if (!useIsViewer(room)) return null;
  return (
    <Badge variant="light" color="gray" title={VIEW_ONLY} style={{ flexShrink: 0 }}>
      view only
    </Badge>
  );
}
