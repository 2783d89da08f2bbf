import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, dataOf } from "@/api/client";
import { queries } from "@/api/queries";
import type { Myself } from "@/api/schema";

/** Changes the display name. The id never changes. */
export function Rename({ me, close }: { me: Myself; close: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(me.display_name);
  const renaming = useMutation({
    mutationFn: () => dataOf(api.PATCH("/api/users/me", { body: { display_name: name } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: queries.me().queryKey });
      void client.invalidateQueries({ queryKey: queries.person(me.user).queryKey });
      close();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    renaming.mutate();
  };
  return (
    <Modal opened onClose={close} title="Change your name">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Your name"
            description={`Shown to others. Your id stays ${me.user}.`}
            maxLength={64}
            required
            data-autofocus
            error={renaming.error?.message}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button type="submit" disabled={!name.trim()} loading={renaming.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
