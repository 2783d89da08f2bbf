import { AppShell, Burger, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazy, type ReactNode, useEffect } from "react";
import { Link, useLocation } from "wouter";
import type { Principal, Room } from "@/api/schema";
import { Later } from "@/components/Later";
import { Logo } from "@/components/Logo";
import { Safely } from "@/components/Safely";
import { LinkState } from "./LinkState";
import { RoomName } from "./RoomName";
import { SchemeSwitch } from "./SchemeSwitch";
import { UserMenu } from "./UserMenu";

/** A chat that cannot be loaded takes nothing else with it. */
const Chat = lazy(() => import("@/features/chat/Chat").catch(() => ({ default: () => <></> })));

interface Props {
  me: Principal;
  room?: Pick<Room, "name" | "title">;
  side?: ReactNode;
  children: ReactNode;
}

/** What stands around every page. */
export function Frame({ me, room, side, children }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [place] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu of a phone
  useEffect(close, [place]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={side ? { width: 280, breakpoint: "sm", collapsed: { mobile: !isOpen } } : undefined}
      padding="md"
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            {side && <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Menu" />}
            <Link href="~/" aria-label="Workroom, all rooms" className="quiet">
              <Logo textFrom={room && "sm"} />
            </Link>
            {room && <RoomName room={room} />}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <LinkState />
            {room && (
              <Later>
                <Chat room={room.name} me={me.user} />
              </Later>
            )}
            <SchemeSwitch />
            <UserMenu me={me} />
          </Group>
        </Group>
      </AppShell.Header>
      {side && (
        <AppShell.Navbar p="xs">
          <AppShell.Section grow className="scrolling">
            {side}
          </AppShell.Section>
        </AppShell.Navbar>
      )}
      <AppShell.Main>
        <Safely key={place}>{children}</Safely>
      </AppShell.Main>
    </AppShell>
  );
}
