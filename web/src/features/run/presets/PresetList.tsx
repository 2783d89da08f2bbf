import { ActionIcon, Button, Divider, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconDeviceFloppy, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { Extension, Preset } from "@/api/schema";
import { ErrorMessage } from "@/components/ErrorMessage";
import { PersonName } from "@/components/PersonName";
import { useIsViewer } from "@/components/ViewOnly";
import classes from "./Presets.module.css";
import { useMayChange } from "./usePresets";

interface Props {
  room: string;
  tool: Extension;
  onLoad: (preset: Preset) => void;
  onSave: () => void;
  onDelete: (preset: Preset) => void;
}

export function PresetList({ room, tool, onLoad, onSave, onDelete }: Props) {
  const presets = useQuery(queries.presets(room, tool));
  const mayChange = useMayChange(room);
  const isViewer = useIsViewer(room);
  const group = (label: string, whose: Preset["whose"]) => {
    const items = presets.data?.filter((preset) => preset.whose === whose) ?? [];
    if (items.length === 0) return null;
    return (
      <section aria-label={label}>
        <Text size="xs" c="dimmed" px="xs">
          {label}
        </Text>
        <ul className={classes.list}>
          {items.map((preset) => (
            <PresetRow
              key={preset.name}
              preset={preset}
              onLoad={() => onLoad(preset)}
              onDelete={!isViewer && mayChange(preset) ? () => onDelete(preset) : undefined}
            />
          ))}
        </ul>
      </section>
    );
  };
  return (
    <Stack gap="xs">
      {presets.isPending && <Skeleton h={36} />}
      {presets.isError && <ErrorMessage error={presets.error} retry={presets.refetch} />}
      {presets.data?.length === 0 && (
        <Text size="sm" c="dimmed" px="xs">
          {isViewer
            ? "Nobody has saved a preset yet."
            : "Keep the values of this form under a name, and load them with a click."}
        </Text>
      )}
      {!!presets.data?.length && (
        <div className={`${classes.groups} scrolling`}>
          {group("Mine", "mine")}
          {group("In this room", "room")}
        </div>
      )}
      {!isViewer && (
        <>
          <Divider />
          <Button
            variant="subtle"
            size="compact-sm"
            justify="flex-start"
            leftSection={<IconDeviceFloppy size={14} />}
            onClick={onSave}
          >
            Save as preset…
          </Button>
        </>
      )}
    </Stack>
  );
}

interface RowProps {
  preset: Preset;
  onLoad: () => void;
  onDelete?: () => void;
}

function PresetRow({ preset, onLoad, onDelete }: RowProps) {
  return (
    <Group component="li" gap={4} wrap="nowrap">
      <button type="button" className={classes.load} onClick={onLoad}>
        <span className={classes.name}>{preset.name}</span>
        {preset.whose === "room" && (
          <Text span size="xs" c="dimmed" className={classes.author}>
            <PersonName id={preset.user} />
          </Text>
        )}
      </button>
      {onDelete && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Delete the preset ${preset.name}`}
          onClick={onDelete}
        >
          <IconTrash size={14} />
        </ActionIcon>
      )}
    </Group>
  );
}
