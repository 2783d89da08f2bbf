import { Button, FileButton, Group, Input, Progress, Select } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type DragEvent, useState } from "react";
import { queries } from "@/api/queries";
import { upload } from "@/api/upload";
import { formatBytes } from "@/components/format";
import { useIsViewer } from "@/components/ViewOnly";

import type { FieldProps } from "./form";
import { useField } from "./useField";

/** Selects a file of the room, or uploads a new one: with a button, or dropped on the field. */
export function FileField(props: FieldProps) {
  const field = useField(props);
  const { id, room, set, input } = field;
  const client = useQueryClient();
  const isViewer = useIsViewer(room);
  const { data: files = [] } = useQuery(queries.files(room));
  const [fraction, setFraction] = useState(0);
  const uploading = useMutation({
    mutationFn: (file: File) => upload(room, file, setFraction),
    onSuccess: async (file) => {
      await client.invalidateQueries({ queryKey: queries.files(room).queryKey });
      set(file.id);
    },
  });
  const { isOver, handlers } = useDrop((file) => !isViewer && uploading.mutate(file));
  const error = uploading.error?.message ?? field.error;
  const isOptional = !props.isRequired || props.shape.isNullable;
  return (
    <Input.Wrapper
      {...input}
      error={error}
      {...handlers}
      className="droppable"
      data-over={isOver || undefined}
    >
      <Group wrap="nowrap" gap="xs" mt={4}>
        <Select
          id={id}
          flex={1}
          miw={0}
          searchable
          clearable={isOptional}
          placeholder="A file of this room, or drop one here"
          aria-label={props.isBare ? props.label : undefined}
          data={files.map((file) => ({ value: file.id, label: `${file.name} (${formatBytes(file.size)})` }))}
          value={typeof props.value === "string" ? props.value : null}
          onChange={(next) => set(next ?? (props.shape.isNullable ? null : undefined))}
          error={Boolean(error)}
        />
        <FileButton onChange={(file) => file && uploading.mutate(file)}>
          {(button) => (
            <Button
              {...button}
              variant="default"
              leftSection={<IconUpload size={16} />}
              loading={uploading.isPending}
              disabled={isViewer}
            >
              Upload
            </Button>
          )}
        </FileButton>
      </Group>
      {uploading.isPending && <Progress value={fraction * 100} mt={6} aria-label="Uploading" />}
    </Input.Wrapper>
  );
}

function useDrop(onFile: (file: File) => void) {
  const [isOver, setOver] = useState(false);
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      const [file] = event.dataTransfer.files;
      if (file) onFile(file);
    },
  };
  return { isOver, handlers };
}
