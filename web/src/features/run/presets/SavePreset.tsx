import { Alert, Button, Checkbox, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { hasCode } from "@/api/problem";
import { queries } from "@/api/queries";
import type { Extension } from "@/api/schema";
import type { Values } from "@/components/draft";
import { notify } from "@/components/notify";
import { withoutSecrets } from "@/components/secrets";
import { refusalOf } from "./fit";
import { useMayChange, useSavePreset } from "./usePresets";

interface Props {
  room: string;
  tool: Extension;
  values: Values;
  close: () => void;
}

const MAX_NAME = 100;

/** Saves the current values under a name. Values that have the name already are replaced only after a question. */
export function SavePreset({ room, tool, values, close }: Props) {
  const { data: presets } = useQuery(queries.presets(room, tool));
  const mayChange = useMayChange(room);
  const [name, setName] = useState("");
  const [isShared, setShared] = useState(false);
  const saving = useSavePreset(room, tool, (preset) => {
    notify(`Saved the preset '${preset.name}'`);
    close();
  });
  const wanted = { name: name.trim(), whose: isShared ? ("room" as const) : ("mine" as const) };
  const taken = presets?.find(
    (each) => each.whose === wanted.whose && each.name === wanted.name.normalize("NFC"),
  );
  const isTaken = taken !== undefined || hasCode(saving.error, "name_taken");
  const refusal = refusalOf(values, tool.schema);
  const mayReplace = taken === undefined || mayChange(taken);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate({ ...wanted, data: withoutSecrets(values, tool.schema), replace: isTaken });
  };
  return (
    <Modal opened onClose={close} title="Save as preset" centered>
      <form onSubmit={submit}>
        <Stack>
          {(refusal || (saving.error && !isTaken)) && (
            <Alert color="red" role="alert">
              {refusal ?? saving.error?.message}
            </Alert>
          )}
          <TextInput
            label="Name"
            required
            maxLength={MAX_NAME}
            value={name}
            onChange={(event) => {
              saving.reset();
              setName(event.currentTarget.value);
            }}
            data-autofocus
          />
          <Checkbox
            label="Everybody in this room may load it"
            checked={isShared}
            onChange={(event) => {
              saving.reset();
              setShared(event.currentTarget.checked);
            }}
          />
          <Text size="sm" role="status" c={isTaken ? undefined : "dimmed"}>
            {!isTaken
              ? "Secret values are not kept."
              : mayReplace
                ? `There is a preset '${wanted.name}' already. Replace it?`
                : `There is a preset '${wanted.name}' already, of somebody else: choose another name.`}
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Go back
            </Button>
            <Button
              type="submit"
              loading={saving.isPending}
              disabled={!wanted.name || !mayReplace || refusal !== null}
            >
              {isTaken ? "Replace" : "Save"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
