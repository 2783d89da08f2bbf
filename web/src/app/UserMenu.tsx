import { Avatar, Group, Menu, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import {
  IconAdjustments,
  IconBell,
  IconBook,
  IconCheck,
  IconDevicesOff,
  IconDoor,
  IconLogout,
  IconPencil,
  IconServer2,
} from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { api, dataOf } from "@/api/client";
import { hasOwnUsers, LOGOUT_URL, mounted } from "@/api/mount";
import type { Myself } from "@/api/schema";
import { RoleBadge } from "@/components/RoleBadge";
import { forgetGuestSecret } from "@/features/login/guestSecret";
import { useNotifying } from "@/features/mine/useNotifying";
import { ColorSchemeItem } from "./ColorSchemeSwitch";
import { Rename } from "./Rename";
import { Usage } from "./Usage";

export function UserMenu({ me }: { me: Myself }) {
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  const [renaming, setRenaming] = useState(false);
  const logout = useMutation({
    mutationFn: (all: boolean) => dataOf(api.POST("/api/token/revoke", { body: { all } })),
    onSettled: () => {
      forgetGuestSecret();
      return client.resetQueries();
    },
  });
  return (
    <>
      {renaming && <Rename me={me} close={() => setRenaming(false)} />}
      <Menu position="bottom-end" width={220} opened={opened} onChange={setOpened}>
        <Menu.Target>
          <UnstyledButton>
            <Avatar name={me.display_name} color="initials" size={32} aria-hidden />
            <VisuallyHidden>You are {me.display_name}</VisuallyHidden>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <Group gap={6} wrap="nowrap">
              <Text inherit truncate>
                {me.display_name}
              </Text>
              <RoleBadge role={me.role} />
            </Group>
            {me.display_name !== me.user && (
              <Text size="xs" truncate>
                {me.user}
              </Text>
            )}
          </Menu.Label>
          {opened && <Usage />}
          {!hasOwnUsers && (
            <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setRenaming(true)}>
              Change your name
            </Menu.Item>
          )}
          <NotifyItem />
          <ColorSchemeItem />
          <Menu.Item component={Link} href="~/" leftSection={<IconDoor size={16} />}>
            All rooms
          </Menu.Item>
          {me.role === "admin" && (
            <Menu.Item component={Link} href="~/admin" leftSection={<IconAdjustments size={16} />}>
              Administration
            </Menu.Item>
          )}
          {me.role === "admin" && (
            <Menu.Item component={Link} href="~/fleet" leftSection={<IconServer2 size={16} />}>
              All workers
            </Menu.Item>
          )}
          <Menu.Item component="a" href={mounted("/docs")} leftSection={<IconBook size={16} />}>
            API documentation
          </Menu.Item>
          {hasOwnUsers ? (
            LOGOUT_URL && (
              <Menu.Item component="a" href={LOGOUT_URL} leftSection={<IconLogout size={16} />}>
                Log out
              </Menu.Item>
            )
          ) : (
            <>
              <Menu.Divider />
              <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => logout.mutate(false)}>
                Log out
              </Menu.Item>
              <Menu.Item leftSection={<IconDevicesOff size={16} />} onClick={() => logout.mutate(true)}>
                Log out everywhere
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function NotifyItem() {
  const { isOn, toggle, reason } = useNotifying();
  return (
    <Menu.Item
      leftSection={<IconBell size={16} />}
      rightSection={isOn && <IconCheck size={16} aria-label="on" />}
      closeMenuOnClick={false}
      disabled={reason !== null}
      title={reason ?? undefined}
      onClick={() => void toggle()}
    >
      Notify me of my jobs
    </Menu.Item>
  );
}
