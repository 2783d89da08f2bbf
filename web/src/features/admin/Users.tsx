import { Badge, Group, Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { Account } from "@/api/schema";
import { Ago } from "@/components/RelativeTime";
import { RoleBadge } from "@/components/RoleBadge";
import { AddUser } from "./AddUser";
import { NewToken } from "./NewToken";
import { More, Page } from "./Page";
import { UserActions } from "./UserActions";

/** Every account, and what an administrator may change about it. */
export function Users({ me }: { me: string }) {
  const query = useInfiniteQuery(queries.users());
  const users = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Page
      title="Users"
      query={query}
      actions={
        <Group gap="xs">
          <NewToken />
          <AddUser />
        </Group>
      }
    >
      <Table.ScrollContainer minWidth={560}>
        <Table verticalSpacing="xs" striped aria-label="Users">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>User</Table.Th>
              <Table.Th>Login</Table.Th>
              <Table.Th>Since</Table.Th>
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {users.map((user) => (
              <Row key={user.name} user={user} isMe={user.name === me} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <More {...query} />
    </Page>
  );
}

function Row({ user, isMe }: { user: Account; isMe: boolean }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={6}>
          <Text size="sm" fw={500}>
            <bdi>{user.display_name}</bdi>
          </Text>
          <RoleBadge role={user.role} />
          {user.disabled && (
            <Badge size="xs" color="red" variant="light">
              disabled
            </Badge>
          )}
        </Group>
        {user.display_name !== user.name && (
          <Text size="xs" c="dimmed">
            {user.name}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{user.has_password ? "password" : user.role === "guest" ? "name" : "token"}</Table.Td>
      <Table.Td>
        <Ago at={user.created_at} />
      </Table.Td>
      <Table.Td ta="right">{!isMe && <UserActions user={user} />}</Table.Td>
    </Table.Tr>
  );
}
