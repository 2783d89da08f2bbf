import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { codeIn } from "@/components/invite";
import { useJoin } from "./useJoin";

/** Joins the room of this address, which may be private. */
export function EnterCode({ room, onJoined }: { room: string; onJoined: () => void }) {
  const [code, setCode] = useState("");
  const joining = useJoin(onJoined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    joining.mutate({ room, code });
  };
  return (
    <Stack component="form" onSubmit={submit} gap="xs" mt="md" w="100%" ta="start">
      {joining.error && (
        <Alert color="red" role="alert">
          {joining.error.message}
        </Alert>
      )}
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          label="Invite code"
          autoComplete="off"
          required
          flex={1}
          value={code}
          onChange={(event) => setCode(codeIn(event.currentTarget.value))}
        />
        <Button type="submit" variant="default" loading={joining.isPending}>
          Join
        </Button>
      </Group>
    </Stack>
  );
}
