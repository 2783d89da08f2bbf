import { Overlay, Progress, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, dataOf, newKey } from "@/api/client";
import { queries } from "@/api/queries";
import { upload } from "@/api/upload";
import { notify, notifyError } from "@/components/notify";
import { useIsViewer } from "@/components/ViewOnly";

/** The tool that reads files; a room without it takes none. */
const LOADER = { category: "modifiers", name: "LoadFile" };

/** Files that are dropped anywhere in a room are uploaded and loaded as frames, one job each. */
export default function FileDrop({ room }: { room: string }) {
  const { data: tools = [] } = useQuery(queries.extensions(room));
  const isViewer = useIsViewer(room);
  const hasLoader = tools.some(({ category, name }) => category === LOADER.category && name === LOADER.name);
  return hasLoader && !isViewer ? <DropZone room={room} /> : null;
}

function DropZone({ room }: { room: string }) {
  const [fraction, setFraction] = useState<number | null>(null);
  const isOver = useWindowDrop((files) => {
    void loadAll(room, files, setFraction)
      .catch(notifyError)
      .finally(() => setFraction(null));
  });
  if (!isOver && fraction === null) return null;
  return (
    <Overlay fixed zIndex={400} backgroundOpacity={0.35} blur={2} style={{ pointerEvents: "none" }}>
      <Stack align="center" justify="center" h="100%" role="status">
        <Text size="xl" fw={600} c="white">
          {fraction === null ? "Drop to load into this room" : "Uploading"}
        </Text>
        {fraction !== null && <Progress value={fraction * 100} w={320} maw="80%" aria-label="Uploading" />}
      </Stack>
    </Overlay>
  );
}

async function loadAll(room: string, files: File[], onProgress: (fraction: number) => void): Promise<void> {
  for (const file of files) {
    const { id } = await upload(room, file, onProgress);
    await dataOf(
      api.POST("/api/rooms/{room}/extensions/{category}/{name}/submit", {
        params: { path: { room, ...LOADER } },
        headers: { "Idempotency-Key": newKey() },
        body: { data: { file: id } },
      }),
    );
    notify(`${file.name} is being loaded.`);
  }
}

/** Whether files are over the window. A field that takes a drop itself prevents the default before. */
function useWindowDrop(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = (event: DragEvent) => Boolean(event.dataTransfer?.types.includes("Files"));
    const over = (event: DragEvent) => {
      if (event.defaultPrevented || !hasFiles(event)) return setOver(false);
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      setOver(false);
      if (event.defaultPrevented || !hasFiles(event)) return;
      event.preventDefault();
      onFiles([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener("dragover", over);
    window.addEventListener("dragleave", leave);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", over);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("drop", drop);
    };
  });
  return isOver;
}
