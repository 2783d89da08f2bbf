import { Anchor, Button, Center, Group, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { api, dataOf } from "@/api/client";
import { Refusal } from "@/components/Refusal";
import { EnterCode } from "./EnterCode";

interface Props {
  room: string;
  mayCreate: boolean;
  onCreated: () => void;
}

/** The room does not exist or is private. The server does not reveal which. */
export function RoomNotFound({ room, mayCreate, onCreated }: Props) {
  const client = useQueryClient();
  const creating = useMutation({
    mutationFn: () => dataOf(api.POST("/api/rooms", { body: { name: room, title: "", private: false } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["rooms"] });
      onCreated();
    },
  });
  return (
    <Center mih={300} p="md">
      <Stack align="center" gap="md" maw={460} ta="center">
        <Title order={1} size="h3">
          There is no room '{room}'.{mayCreate && " Create it?"}
        </Title>
        <Text c="dimmed" size="sm">
          The address may be mistyped. If the room is private, its owner can invite you.
        </Text>
        <Refusal error={creating.error} />
        <Group justify="center">
          {mayCreate && (
            <Button
              leftSection={<IconPlus size={16} />}
              loading={creating.isPending}
              onClick={() => creating.mutate()}
            >
              Create room
            </Button>
          )}
          <Anchor component={Link} href="~/">
            All rooms
          </Anchor>
        </Group>
        {mayCreate && <EnterCode room={room} onJoined={onCreated} />}
      </Stack>
    </Center>
  );
}
