import { Text } from "@mantine/core";
import type { Extension, Preset } from "@/api/schema";
import { Confirm } from "@/components/Confirm";
import { useDeletePreset } from "./usePresets";

interface Props {
  room: string;
  tool: Extension;
  preset: Preset;
  close: () => void;
}

export function DeletePreset({ room, tool, preset, close }: Props) {
  const deleting = useDeletePreset(room, tool, close);
  return (
    <Confirm
      title={`Delete '${preset.name}'`}
      action="Delete"
      color="red"
      isOpen
      isBusy={deleting.isPending}
      error={deleting.error}
      close={close}
      confirm={() => deleting.mutate(preset)}
    >
      <Text size="sm">
        {preset.whose === "room"
          ? "Nobody in this room will be able to load this preset any more."
          : "You will not be able to load this preset any more."}
      </Text>
    </Confirm>
  );
}
