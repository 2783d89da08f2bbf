import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { lazy, Suspense } from "react";

const Palette = lazy(() => import("./Palette"));

/** Ctrl-K. The first time brings the palette, which then listens for itself. */
export function ToolPalette({ room }: { room: string }) {
  const [isWanted, { open }] = useDisclosure();
  useHotkeys([["mod + K", open]]);
  return (
    isWanted && (
      <Suspense>
        <Palette room={room} />
      </Suspense>
    )
  );
}
