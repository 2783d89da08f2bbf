import { Alert, Group, Stack, TextInput, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type DragEvent, type ReactNode, useEffect, useState } from "react";
import { useSocketEvents } from "@/api/LiveProvider";
import { upload } from "@/api/upload";
import type { Values } from "@/components/draft";
import { ErrorMessage } from "@/components/ErrorMessage";
import { Loading } from "@/components/Loading";
import { notifyError } from "@/components/notify";
import { useIsViewer, VIEW_ONLY } from "@/components/ViewOnly";
import { Composer } from "./Composer";
import { media } from "./content";
import { type Draft, keepDraft, readDraft, usedAs } from "./draft";
import { Failures } from "./Failures";
import { Gallery } from "./Gallery";
import { Running } from "./Running";
import classes from "./Studio.module.css";

export interface FieldsProps {
  schema: Record<string, unknown>;
  values: Values;
  onChange: (change: (values: Values) => Values) => void;
  onSubmit: () => void;
}

interface Props {
  room: string;
  user: string;
  /** Fields for the parameters of a provider. */
  fields: (props: FieldsProps) => ReactNode;
}

const REFRESH_MS = 500;
const SEARCH_MS = 250;

/** Orders images and videos, and shows what came of it. */
export default function Studio({ room, user, fields }: Props) {
  const providers = useQuery(media.providers());
  const [draft, setDraft] = useState(() => readDraft(room));
  const [search, setSearch] = useState("");
  const [searched] = useDebouncedValue(search.trim(), SEARCH_MS);
  const isViewer = useIsViewer(room);
  useFreshMedia(room);
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  useEffect(() => keepDraft(room, draft), [room, draft]);
  const edit = (next: Draft) => {
    setDraft(next);
    document.getElementById("studio-prompt")?.focus();
  };
  const drop = useImageDrop((file) => {
    void upload(room, file, () => {})
      .then(({ id }) => change({ source: id, action: "img2img" }))
      .catch(notifyError);
  }, !isViewer);
  if (providers.isPending) return <Loading />;
  if (providers.isError) return <ErrorMessage error={providers.error} retry={providers.refetch} />;
  return (
    <div {...drop.handlers} className={drop.isOver ? classes.dropping : undefined}>
      <Group justify="space-between" mb="md" gap="sm">
        <Title order={1} size="h2">
          Studio
        </Title>
        <TextInput
          aria-label="Search in prompts"
          placeholder="Search in prompts"
          leftSection={<IconSearch size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          w={{ base: "100%", xs: 260 }}
        />
      </Group>
      <div className={classes.page}>
        {isViewer ? (
          <Alert color="gray">{VIEW_ONLY}</Alert>
        ) : (
          <div className={classes.composer}>
            <Composer
              room={room}
              providers={providers.data}
              draft={draft}
              onChange={change}
              fields={fields}
            />
          </div>
        )}
        <Stack className={classes.main} gap="lg">
          <Running room={room} user={user} providers={providers.data} />
          <Failures room={room} onEdit={edit} />
          <Gallery
            room={room}
            search={searched}
            providers={providers.data}
            mayOrder={!isViewer}
            onUse={(content, action) => edit(usedAs(draft, content, action, providers.data))}
            onEdit={edit}
          />
        </Stack>
      </div>
    </div>
  );
}

/** Reads the lists again soon after a record of the pack has changed. */
function useFreshMedia(room: string): void {
  const client = useQueryClient();
  const subscribe = useSocketEvents();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      timer = undefined;
      void client.invalidateQueries({ queryKey: ["media", room] });
    };
    const unsubscribe = subscribe("record:changed", (items) => {
      const isOurs = (items as { room: string; kind: string }[]).some(
        (each) => each.room === room && each.kind.startsWith("media-"),
      );
      if (isOurs) timer ??= setTimeout(refresh, REFRESH_MS);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [client, subscribe, room]);
}

/** Takes an image that is dropped anywhere on the page, before the room takes it as a file. */
function useImageDrop(onImage: (file: File) => void, isEnabled: boolean) {
  const [isOver, setOver] = useState(false);
  const hasFiles = (event: DragEvent) => isEnabled && event.dataTransfer.types.includes("Files");
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      const image = [...event.dataTransfer.files].find(({ type }) => type.startsWith("image/"));
      if (image) onImage(image);
      else notifyError(new Error("Only an image can be dropped here."));
    },
  };
  return { isOver, handlers };
}
