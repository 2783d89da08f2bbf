import { Button, Popover } from "@mantine/core";
import { IconBookmarks } from "@tabler/icons-react";
import { useState } from "react";
import type { Extension, Preset } from "@/api/schema";
import type { Values } from "@/components/draft";
import { notifyError } from "@/components/notify";
import { DeletePreset } from "./DeletePreset";
import { PresetList } from "./PresetList";
import { SavePreset } from "./SavePreset";
import { useLoadPreset } from "./usePresets";

interface Props {
  room: string;
  tool: Extension;
  values: Values;
  onLoad: (values: Values) => void;
}

/** Named values of this form: loaded with a click, saved for me or for the room. */
export function Presets({ room, tool, values, onLoad }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [deleted, setDeleted] = useState<Preset | null>(null);
  const loading = useLoadPreset(room, tool, onLoad);
  const close = () => setOpen(false);
  return (
    <>
      <Popover
        opened={isOpen}
        onChange={setOpen}
        position="top-end"
        width={300}
        shadow="md"
        trapFocus
        returnFocus
        withRoles={false}
      >
        <Popover.Target>
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<IconBookmarks size={14} />}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            aria-busy={loading.isPending}
            onClick={() => setOpen(!isOpen)}
          >
            Presets
          </Button>
        </Popover.Target>
        <Popover.Dropdown role="dialog" aria-label="Presets" p="xs">
          <PresetList
            room={room}
            tool={tool}
            onLoad={(preset) => {
              close();
              loading.mutate(preset, { onError: notifyError });
            }}
            onSave={() => {
              close();
              setSaving(true);
            }}
            onDelete={(preset) => {
              close();
              setDeleted(preset);
            }}
          />
        </Popover.Dropdown>
      </Popover>
      {isSaving && <SavePreset room={room} tool={tool} values={values} close={() => setSaving(false)} />}
      {deleted && <DeletePreset room={room} tool={tool} preset={deleted} close={() => setDeleted(null)} />}
    </>
  );
}
