import { ActionIcon, Button, Group, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, got } from "@/api/client";
import { queries } from "@/api/queries";
import { Trouble } from "@/components/Trouble";
import { tellProblem } from "@/components/tell";

export function Members({ room }: { room: string }) {
  const members = useQuery(queries.members(room));
  return (
    <section aria-label="Members">
      <Title order={3} size="h5" mb="xs">
        Members
      </Title>
      {members.isError && <Trouble error={members.error} retry={members.refetch} />}
      {members.isPending && <Skeleton h={60} />}
      {members.data && (
        <Stack gap={4} component="ul" p={0} m={0} mb="sm" style={{ listStyle: "none" }}>
          <Group component="li" h={30} gap="xs">
            <Text size="sm">{members.data.owner}</Text>
            <Text size="sm" c="dimmed">
              owner
            </Text>
          </Group>
          {members.data.items
            .filter((user) => user !== members.data.owner)
            .map((user) => (
              <Member key={user} room={room} user={user} />
            ))}
        </Stack>
      )}
      <AddMember room={room} />
    </section>
  );
}

function Member({ room, user }: { room: string; user: string }) {
  const client = useQueryClient();
  const removing = useMutation({
    mutationFn: () =>
      got(api.DELETE("/api/rooms/{room}/members/{user}", { params: { path: { room, user } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: queries.members(room).queryKey }),
    onError: tellProblem,
  });
  return (
    <Group component="li" h={30} gap="xs" justify="space-between">
      <Text size="sm">{user}</Text>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Remove ${user}`}
        loading={removing.isPending}
        onClick={() => removing.mutate()}
      >
        <IconX size={16} />
      </ActionIcon>
    </Group>
  );
}

function AddMember({ room }: { room: string }) {
  const client = useQueryClient();
  const [user, setUser] = useState("");
  const adding = useMutation({
    mutationFn: () =>
      got(api.POST("/api/rooms/{room}/members", { params: { path: { room } }, body: { user } })),
    onSuccess: () => {
      setUser("");
      void client.invalidateQueries({ queryKey: queries.members(room).queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          aria-label="Name of a new member"
          placeholder="Name of a new member"
          error={adding.error?.message}
          required
          maxLength={64}
          flex={1}
          value={user}
          onChange={(event) => setUser(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={!user.trim()} loading={adding.isPending}>
          Add
        </Button>
      </Group>
    </form>
  );
}
