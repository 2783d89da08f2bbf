import { ActionIcon, Button, FileButton, Group, Text } from "@mantine/core";
import { IconPhotoUp, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { mounted } from "@/api/mount";
import { upload } from "@/api/upload";
import { notifyError } from "@/components/notify";
import type { Draft } from "./draft";
import classes from "./Studio.module.css";

interface Props {
  room: string;
  source: string;
  onChange: (changes: Partial<Draft>) => void;
}

/** The image to begin with: chosen from the gallery, dropped, or uploaded. */
export function SourceChip({ room, source, onChange }: Props) {
  const [isBusy, setBusy] = useState(false);
  const take = (file: File | null) => {
    if (!file) return;
    setBusy(true);
    upload(room, file, () => {})
      .then(({ id }) => onChange({ source: id }))
      .catch(notifyError)
      .finally(() => setBusy(false));
  };
  if (!source)
    return (
      <div>
        <Text size="sm" fw={500} mb={4}>
          Begins with
        </Text>
        <FileButton accept="image/*" onChange={take}>
          {(props) => (
            <Button
              {...props}
              fullWidth
              variant="default"
              loading={isBusy}
              leftSection={<IconPhotoUp size={18} />}
            >
              Choose or drop an image
            </Button>
          )}
        </FileButton>
      </div>
    );
  return (
    <Group wrap="nowrap" gap="sm">
      <img className={classes.source} src={pictureOf(room, source)} alt="" />
      <Text size="sm" flex={1} miw={0} truncate>
        Begins with this image
      </Text>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Begin without it"
        onClick={() => onChange({ source: "", action: "txt2img" })}
      >
        <IconX size={16} />
      </ActionIcon>
    </Group>
  );
}

function pictureOf(room: string, source: string): string {
  return source.startsWith("gc_")
    ? mounted(`/workflow/${room}/media/${source}.thumb.webp`)
    : `/api/rooms/${room}/files/${source}?inline=true`;
}
