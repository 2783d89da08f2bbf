import { Avatar, Menu, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconBook, IconDoor, IconLogout, IconServer2 } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { api, got } from "@/api/client";
import type { Principal } from "@/api/schema";

export function UserMenu({ me }: { me: Principal }) {
  const client = useQueryClient();
  const logout = useMutation({
    mutationFn: () => got(api.POST("/api/token/revoke", { body: {} })),
    onSettled: () => client.resetQueries(),
  });
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton>
          <Avatar name={me.user} color="initials" size={32} aria-hidden />
          <VisuallyHidden>You are {me.user}</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {me.user} · {me.role}
        </Menu.Label>
        <Menu.Item component={Link} href="~/" leftSection={<IconDoor size={16} />}>
          All rooms
        </Menu.Item>
        {me.role === "admin" && (
          <Menu.Item component={Link} href="~/fleet" leftSection={<IconServer2 size={16} />}>
            All workers
          </Menu.Item>
        )}
        <Menu.Item component="a" href="/docs" leftSection={<IconBook size={16} />}>
          REST documentation
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => logout.mutate()}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
