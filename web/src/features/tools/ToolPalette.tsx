import { ActionIcon, Button, Kbd } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { lazy, Suspense, useEffect } from "react";
import { IS_MAC } from "./platform";

const Palette = lazy(() => import("./Palette"));
const Keys = lazy(() => import("./Keys"));

/** The button that shows Ctrl-K. The palette is loaded on its first use, and handles the shortcut from then on. */
export function ToolPalette({ room }: { room?: string }) {
  const [isLoaded, { open: load }] = useDisclosure();
  const [isHelp, help] = useDisclosure();
  useHotkeys([["mod + K", load]], []);
  useQuestionMark(help.open);
  const open = () =>
    isLoaded ? import("@mantine/spotlight").then(({ spotlight }) => spotlight.open()) : load();
  return (
    <>
      <Button
        variant="default"
        size="xs"
        fw={400}
        visibleFrom="sm"
        leftSection={<IconSearch size={14} />}
        rightSection={<Kbd size="xs">{IS_MAC ? "⌘ K" : "Ctrl K"}</Kbd>}
        onClick={open}
      >
        Search
      </Button>
      <ActionIcon variant="subtle" color="gray" size="lg" hiddenFrom="sm" aria-label="Search" onClick={open}>
        <IconSearch size={18} stroke={1.6} />
      </ActionIcon>
      <Suspense>
        {isLoaded && <Palette room={room} onKeys={help.open} />}
        {isHelp && <Keys onClose={help.close} />}
      </Suspense>
    </>
  );
}

/** Not while something is typed. */
function useQuestionMark(open: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      const isTyping = target?.closest("input, textarea, select, [contenteditable=true]");
      if (event.key === "?" && !isTyping && !event.ctrlKey && !event.metaKey) open();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [open]);
}
