import { AppShell, Burger, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazy, type ReactNode, useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import type { Myself, Room } from "@/api/schema";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { Logo } from "@/components/Logo";
import { usePageTitle } from "@/components/tabTitle";
import { WhenIdle } from "@/components/WhenIdle";
import { ToolPalette } from "@/features/tools/ToolPalette";
import { ColorSchemeSwitch } from "./ColorSchemeSwitch";
import { ConnectionStatus } from "./ConnectionStatus";
import { RoomName } from "./RoomName";
import { UserMenu } from "./UserMenu";

/** If these cannot be loaded, the rest of the page still works. */
const Chat = lazy(() => import("@/features/chat/Chat").catch(() => ({ default: () => <></> })));

const Present = lazy(() => import("@/features/rooms/Present").catch(() => ({ default: () => <></> })));

const MyJobs = lazy(() => import("@/features/mine/MyJobs").catch(() => ({ default: () => <></> })));

const MAIN = "main";

interface Props {
  me: Myself;
  room?: Pick<Room, "name" | "title">;
  side?: ReactNode;
  children: ReactNode;
}

/** The header and navigation around every page. */
export function Layout({ me, room, side, children }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the menu on phones
  useEffect(close, [path]);
  useFocusOnNavigation(path);
  usePageTitle(room ? `${room.title || room.name} · Workroom` : "Workroom");
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={side ? { width: 280, breakpoint: "sm", collapsed: { mobile: !isOpen } } : undefined}
      padding="md"
    >
      <SkipLink />
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
            <ConnectionStatus />
            {room && (
              <WhenIdle>
                <Present room={room.name} />
              </WhenIdle>
            )}
            <WhenIdle>
              <MyJobs me={me.user} />
            </WhenIdle>
            <ToolPalette room={room?.name} />
            {room && (
              <WhenIdle>
                <Chat room={room.name} me={me.user} />
              </WhenIdle>
            )}
            <ColorSchemeSwitch />
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
      <AppShell.Main id={MAIN} tabIndex={-1}>
        <ErrorBoundary key={path}>{children}</ErrorBoundary>
      </AppShell.Main>
    </AppShell>
  );
}

/** The first Tab shows it. */
function SkipLink() {
  const skip = (event: React.MouseEvent) => {
    event.preventDefault();
    document.getElementById(MAIN)?.focus();
  };
  return (
    <a href={`#${MAIN}`} className="skip" onClick={skip}>
      Skip to content
    </a>
  );
}

/** After a link was followed, the next Tab goes to the content of the new page. */
function useFocusOnNavigation(path: string): void {
  const last = useRef(path);
  useEffect(() => {
    if (last.current === path) return;
    last.current = path;
    document.getElementById(MAIN)?.focus({ preventScroll: true });
  }, [path]);
}
