import { Anchor, Group, Paper, Stack, Text } from "@mantine/core";
import { IconAtom2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { Link, Redirect } from "wouter";
import { queries } from "@/api/queries";
import type { FramesSummary } from "@/api/schema";
import { Loading } from "@/components/Loading";
import { Tools } from "@/features/tools/Tools";
import { hasAtoms } from "./atoms";

/** Where the address of a room leads: to its atoms if there are some by then, else to its tools. */
export function RoomHome({ room }: { room: string }) {
  const { data, isPending } = useQuery(queries.frames(room));
  const hadNone = useRef(false);
  if (isPending) return <Loading />;
  if (hasAtoms(data) && !hadNone.current) return <Redirect to="/view" replace />;
  if (data) hadNone.current = true; // atoms that come now do not take the page away from whoever reads it
  return <ToolsPage room={room} />;
}

/** The tools, below a large link to the view if there is something to see. */
export function ToolsPage({ room }: { room: string }) {
  const { data } = useQuery(queries.frames(room));
  return (
    <Stack gap="xl">
      {hasAtoms(data) && <ViewCard frames={data} />}
      <Tools room={room} />
    </Stack>
  );
}

function ViewCard({ frames: { length } }: { frames: FramesSummary }) {
  return (
    <Paper withBorder p="lg" pos="relative">
      <Group wrap="nowrap" gap="md">
        <IconAtom2 size={44} stroke={1.2} color="var(--mantine-primary-color-filled)" aria-hidden />
        <div>
          <Anchor component={Link} href="/view" fw={600} size="lg" c="inherit" className="cover">
            See the atoms
          </Anchor>
          <Text size="sm" c="dimmed">
            {length === 1 ? "1 frame" : `${length.toLocaleString("en")} frames`}, live and shared with
            everybody in the room
          </Text>
        </div>
      </Group>
    </Paper>
  );
}
