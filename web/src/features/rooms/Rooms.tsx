import { Anchor, Badge, Button, Container, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Room } from "@/api/schema";
import { EmptyState } from "@/components/EmptyState";
import { ErrorMessage } from "@/components/ErrorMessage";
import { Loading } from "@/components/Loading";
import { PersonName } from "@/components/PersonName";
import { JoinRoom } from "./JoinRoom";
import { NewRoom } from "./NewRoom";

export function Rooms() {
  const rooms = useInfiniteQuery(queries.rooms());
  if (rooms.isPending) return <Loading />;
  if (rooms.isError) return <ErrorMessage error={rooms.error} retry={rooms.refetch} />;
  const items = rooms.data.pages.flatMap((page) => page.items);
  return (
    <Container size="sm" py="lg">
      <Group justify="space-between" mb="md">
        <Title order={1} size="h2">
          Rooms
        </Title>
        <Group gap="xs">
          <JoinRoom />
          <NewRoom />
        </Group>
      </Group>
      {items.length === 0 && <EmptyState title="No rooms yet">Create one and share its address.</EmptyState>}
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: "none" }}>
        {items.map((room) => (
          <li key={room.name}>
            <RoomCard room={room} />
          </li>
        ))}
      </Stack>
      {rooms.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          onClick={() => rooms.fetchNextPage()}
          loading={rooms.isFetchingNextPage}
        >
          More rooms
        </Button>
      )}
    </Container>
  );
}

function RoomCard({ room }: { room: Room }) {
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" wrap="nowrap">
        <div style={{ minWidth: 0 }}>
          <Anchor component={Link} href={`/rooms/${room.name}`} fw={550} c="inherit">
            {room.title || room.name}
          </Anchor>
          <Text size="sm" c="dimmed" truncate component="div">
            {room.title && `${room.name} · `}by <PersonName id={room.owner} />
          </Text>
        </div>
        {room.private && (
          <Badge variant="light" color="gray" leftSection={<IconLock size={12} />}>
            private
          </Badge>
        )}
      </Group>
    </Paper>
  );
}
