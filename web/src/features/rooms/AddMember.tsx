import { Button, Group, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, dataOf } from "@/api/client";
import { queries } from "@/api/queries";

export function AddMember({ room }: { room: string }) {
  const client = useQueryClient();
  const [user, setUser] = useState("");
  const adding = useMutation({
    mutationFn: () =>
      dataOf(api.POST("/api/rooms/{room}/members", { params: { path: { room } }, body: { user } })),
    onSuccess: () => {
      setUser("");
      void client.invalidateQueries({ queryKey: queries.members(room).queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          aria-label="Name of a new member"
          placeholder="Name of a new member"
          error={adding.error?.message}
          required
          maxLength={64}
          flex={1}
          value={user}
          onChange={(event) => setUser(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={!user.trim()} loading={adding.isPending}>
          Add
        </Button>
      </Group>
    </form>
  );
}
