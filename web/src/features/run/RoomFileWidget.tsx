import { Button, FileButton, Group, Input, Progress, Select } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { IconUpload } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "@/api/queries";
import { formatBytes } from "@/components/format";
import { upload } from "./upload";

/** Selects a file of the room, or uploads a new one. */
export function RoomFileWidget({
  id,
  label,
  value,
  schema,
  required,
  rawErrors,
  onChange,
  registry,
}: WidgetProps) {
  const room: string = registry.formContext.room;
  const client = useQueryClient();
  const { data: files = [] } = useQuery(queries.files(room));
  const [fraction, setFraction] = useState(0);
  const uploading = useMutation({
    mutationFn: (file: File) => upload(room, file, setFraction),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: queries.files(room).queryKey });
      onChange(id);
    },
  });
  const error = uploading.error?.message ?? rawErrors?.join(", ");
  return (
    <Input.Wrapper id={id} label={label} description={schema.description} required={required} error={error}>
      <Group wrap="nowrap" gap="xs" mt={4}>
        <Select
          id={id}
          flex={1}
          searchable
          clearable={!required}
          placeholder="A file of this room"
          data={files.map((file) => ({ value: file.id, label: `${file.name} (${formatBytes(file.size)})` }))}
          value={value ?? null}
          onChange={(next) => onChange(next ?? undefined)}
          error={Boolean(error)}
        />
        <FileButton onChange={(file) => file && uploading.mutate(file)}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<IconUpload size={16} />}
              loading={uploading.isPending}
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
