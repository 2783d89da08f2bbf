import { Button, Group, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Room } from "@/api/schema";
import { tell } from "@/components/tell";
import { useRoomChange } from "./useRoomChange";

/** The name stands in addresses and stays; the title is what people read. */
export function RoomTitle({ room }: { room: Room }) {
  const [title, setTitle] = useState(room.title);
  const changing = useRoomChange(room.name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changing.mutate({ title }, { onSuccess: () => tell("The room has a new title") });
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label="Title"
          description={`What people read instead of “${room.name}”`}
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
