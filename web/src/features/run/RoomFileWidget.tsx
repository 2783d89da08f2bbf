import { Button, FileButton, Group, Input, Progress, Select } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { IconUpload } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "@/api/queries";
import { bytes } from "@/components/words";
import { upload } from "./uploading";

/** A file of the room: one that is there, or one brought now. */
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
  const [share, setShare] = useState(0);
  const uploading = useMutation({
    mutationFn: (file: File) => upload(room, file, setShare),
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
          data={files.map((file) => ({ value: file.id, label: `${file.name} (${bytes(file.size)})` }))}
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
      {uploading.isPending && <Progress value={share * 100} mt={6} aria-label="Uploading" />}
    </Input.Wrapper>
  );
}
