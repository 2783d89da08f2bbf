import { ActionIcon, Menu, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBan, IconCheck, IconDots, IconKey, IconKeyOff, IconUserShield } from "@tabler/icons-react";
import { useState } from "react";
import type { Account } from "@/api/schema";
import { Confirm } from "@/components/Confirm";
import { ChangePassword } from "./ChangePassword";
import { useRevocation, useUserChange } from "./useUserChange";

const ROLES = ["guest", "user", "admin"] as const;
type PersonRole = (typeof ROLES)[number];

interface Question {
  title: string;
  text: string;
  action: string;
  act: () => void;
}

/** What may be done to an account. Whatever ends its sessions is confirmed. */
export function UserActions({ user }: { user: Account }) {
  const [question, ask] = useState<Question>();
  const [isOpen, { open, close }] = useDisclosure();
  const changing = useUserChange(user.name);
  const revoking = useRevocation(user.name);
  const isPerson = ROLES.some((role) => role === user.role);
  const setRole = (role: PersonRole) =>
    ask({
      title: `Make ${user.name} ${role === "admin" ? "an" : "a"} ${role}`,
      text: "All login sessions of this account end.",
      action: "Change the role",
      act: () => changing.mutate({ change: { role }, done: `${user.name} has the role ${role}.` }),
    });
  const disable = () =>
    ask({
      title: `Disable ${user.name}`,
      text: "All sessions end at once, and nobody can log in as this user. Jobs stay as they are.",
      action: "Disable",
      act: () => changing.mutate({ change: { disabled: true }, done: `${user.name} is disabled.` }),
    });
  const revoke = () =>
    ask({
      title: `Revoke all tokens of ${user.name}`,
      text: "Every browser, program and worker of this account has to log in again.",
      action: "Revoke",
      act: () => revoking.mutate(),
    });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Change ${user.name}`}
            loading={changing.isPending || revoking.isPending}
          >
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isPerson &&
            ROLES.filter((role) => role !== user.role && (role === "guest" || user.has_password)).map(
              (role) => (
                <Menu.Item
                  key={role}
                  leftSection={<IconUserShield size={16} />}
                  onClick={() => setRole(role)}
                >
                  Give the role {role}
                </Menu.Item>
              ),
            )}
          {isPerson && (
            <Menu.Item leftSection={<IconKey size={16} />} onClick={open}>
              Set a password
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconKeyOff size={16} />} onClick={revoke}>
            Revoke all tokens
          </Menu.Item>
          {user.disabled ? (
            <Menu.Item
              leftSection={<IconCheck size={16} />}
              onClick={() =>
                changing.mutate({ change: { disabled: false }, done: `${user.name} is enabled.` })
              }
            >
              Enable
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconBan size={16} />} color="red" onClick={disable}>
              Disable
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isOpen && <ChangePassword user={user.name} close={close} />}
      <Confirm
        title={question?.title ?? ""}
        action={question?.action ?? ""}
        color="red"
        isOpen={question !== undefined}
        isBusy={false}
        close={() => ask(undefined)}
        confirm={() => {
          question?.act();
          ask(undefined);
        }}
      >
        <Text size="sm">{question?.text}</Text>
      </Confirm>
    </>
  );
}
