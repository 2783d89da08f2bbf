import { Button, Group, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Room } from "@/api/schema";
import { notify } from "@/components/notify";
import { useRoomChange } from "./useRoomChange";

/** The title can change. The name cannot, because it is part of addresses. */
export function RoomTitle({ room }: { room: Room }) {
  const [title, setTitle] = useState(room.title);
  const changing = useRoomChange(room.name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changing.mutate({ title }, { onSuccess: () => notify("Title changed") });
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label="Title"
          description={`Shown instead of “${room.name}”`}
          error={changing.error?.message}
          maxLength={200}
          flex={1}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={title === room.title} loading={changing.isPending}>
          Rename
        </Button>
      </Group>
    </form>
  );
}
