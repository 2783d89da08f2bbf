import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { lazy, Suspense } from "react";

const Palette = lazy(() => import("./Palette"));

/** Loads the palette on the first Ctrl-K. From then on the palette handles the shortcut itself. */
export function ToolPalette({ room }: { room: string }) {
  const [isLoaded, { open }] = useDisclosure();
  useHotkeys([["mod + K", open]]);
  return (
    isLoaded && (
      <Suspense>
        <Palette room={room} />
      </Suspense>
    )
  );
}
