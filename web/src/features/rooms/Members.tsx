import { ActionIcon, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import { queries } from "@/api/queries";
import { ErrorMessage } from "@/components/ErrorMessage";
import { notifyError } from "@/components/notify";
import { PersonName, useName } from "@/components/PersonName";
import { AddMember } from "./AddMember";

export function Members({ room }: { room: string }) {
  const members = useQuery(queries.members(room));
  return (
    <section aria-label="Members">
      <Title order={3} size="h5" mb="xs">
        Members
      </Title>
      {members.isError && <ErrorMessage error={members.error} retry={members.refetch} />}
      {members.isPending && <Skeleton h={60} />}
      {members.data && (
        <Stack gap={4} component="ul" p={0} m={0} mb="sm" style={{ listStyle: "none" }}>
          <Group component="li" h={30} gap="xs">
            <Text size="sm" component="div" miw={0}>
              <PersonName id={members.data.owner} />
            </Text>
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
  const name = useName(user);
  const removing = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE("/api/rooms/{room}/members/{user}", { params: { path: { room, user } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: queries.members(room).queryKey }),
    onError: notifyError,
  });
  return (
    <Group component="li" h={30} gap="xs" justify="space-between">
      <Text size="sm" component="div" miw={0}>
        <PersonName id={user} />
      </Text>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Remove ${name}`}
        loading={removing.isPending}
        onClick={() => removing.mutate()}
      >
        <IconX size={16} />
      </ActionIcon>
    </Group>
  );
}
