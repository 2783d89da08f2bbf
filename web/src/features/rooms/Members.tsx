import { ActionIcon, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import { queries } from "@/api/queries";
import type { MemberRole, Room } from "@/api/schema";
import { ErrorMessage } from "@/components/ErrorMessage";
import { notifyError } from "@/components/notify";
import { PersonName, useName } from "@/components/PersonName";
import { AddMember } from "./AddMember";

export function Members({ room: { name: room, private: isPrivate } }: { room: Room }) {
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
              <Member
                key={user}
                room={room}
                user={user}
                role={isPrivate ? (members.data.viewers.includes(user) ? "viewer" : "member") : undefined}
              />
            ))}
        </Stack>
      )}
      <AddMember room={room} />
    </section>
  );
}

/** Without a role in an open room, where everybody may work. */
function Member({ room, user, role }: { room: string; user: string; role?: MemberRole }) {
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
      <Text size="sm" component="div" miw={0} flex={1}>
        <PersonName id={user} />
      </Text>
      {role && <ChangeRole room={room} user={user} name={name} role={role} />}
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

interface RoleProps {
  room: string;
  user: string;
  name: string;
  role: MemberRole;
}

function ChangeRole({ room, user, name, role }: RoleProps) {
  const client = useQueryClient();
  const other: MemberRole = role === "viewer" ? "member" : "viewer";
  const changing = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/rooms/{room}/members", { params: { path: { room } }, body: { user, role: other } }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: queries.members(room).queryKey }),
    onError: notifyError,
  });
  return (
    <>
      {role === "viewer" && (
        <Text size="sm" c="dimmed">
          views only
        </Text>
      )}
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        aria-label={`Make ${name} a ${other}`}
        loading={changing.isPending}
        onClick={() => changing.mutate()}
      >
        Make a {other}
      </Button>
    </>
  );
}
