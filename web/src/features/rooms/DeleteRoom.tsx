import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { api, dataOf } from "@/api/client";
import { Confirm } from "@/components/Confirm";

/** Requires typing the name, so that no room is deleted by accident. */
export function DeleteRoom({ room }: { room: string }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const [isOpen, { open, close }] = useDisclosure();
  const [typed, setTyped] = useState("");
  const deleting = useMutation({
    mutationFn: () => dataOf(api.DELETE("/api/rooms/{room}", { params: { path: { room } } })),
    onSuccess: () => {
      go("~/");
      void client.invalidateQueries({ queryKey: ["rooms"] });
    },
  });
  return (
    <>
      <Button
        variant="light"
        color="red"
        leftSection={<IconTrash size={16} />}
        onClick={open}
        style={{ alignSelf: "flex-start" }}
      >
        Delete this room…
      </Button>
      <Confirm
        title={`Delete ${room}`}
        action="Delete the room"
        color="red"
        isOpen={isOpen}
        isBusy={deleting.isPending}
        isReady={typed.trim() === room}
        error={deleting.error}
        close={close}
        confirm={() => deleting.mutate()}
      >
        <Stack gap="sm">
          <Text size="sm">
            Nobody can enter the room any more, and it cannot be restored. Pending and running jobs are
            cancelled. Finished jobs stay on record.
          </Text>
          <TextInput
            label={`Type “${room}” to confirm`}
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            data-autofocus
          />
        </Stack>
      </Confirm>
    </>
  );
}
