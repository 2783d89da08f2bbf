import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { enteredInvite } from "@/components/invite";
import { Refusal } from "@/components/Refusal";
import { useJoin } from "./useJoin";

/** Joins the room of this address, which may be private, or the room of a link. */
export function EnterCode({ room, onJoined }: { room: string; onJoined: () => void }) {
  const [, go] = useLocation();
  const [text, setText] = useState("");
  const invite = enteredInvite(text, room);
  const joining = useJoin((joined) => (joined.name === room ? onJoined() : go(`~/rooms/${joined.name}`)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    joining.mutate(invite);
  };
  return (
    <Stack component="form" onSubmit={submit} gap="xs" mt="md" w="100%" ta="start">
      <Refusal error={joining.error} />
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          label="Invite code"
          description={invite.room === room ? undefined : `A link to the room '${invite.room}'`}
          autoComplete="off"
          required
          flex={1}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={joining.isPending}>
          Join
        </Button>
      </Group>
    </Stack>
  );
}
