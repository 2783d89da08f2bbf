import { Alert, Button, Modal, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { api, dataOf } from "@/api/client";

/** Joins a private room, which is not listed before. */
export function JoinRoom() {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={open}>
        I have a code
      </Button>
      <Modal opened={isOpen} onClose={close} title="Join a room" closeButtonProps={{ "aria-label": "Close" }}>
        <JoinForm />
      </Modal>
    </>
  );
}

function JoinForm() {
  const client = useQueryClient();
  const [, go] = useLocation();
  const [room, setRoom] = useState("");
  const [code, setCode] = useState("");
  const joining = useMutation({
    mutationFn: () =>
      dataOf(api.POST("/api/rooms/{room}/members", { params: { path: { room } }, body: { code } })),
    onSuccess: (joined) => {
      void client.invalidateQueries({ queryKey: ["rooms"] });
      go(`~/rooms/${joined.name}`);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    joining.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {joining.error && (
          <Alert color="red" role="alert">
            {joining.error.message}
          </Alert>
        )}
        <TextInput
          label="Name of the room"
          description="As in its address"
          required
          maxLength={64}
          value={room}
          onChange={(event) => setRoom(event.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label="Invite code"
          autoComplete="off"
          required
          value={code}
          onChange={(event) => setCode(event.currentTarget.value.trim())}
        />
        <Button type="submit" loading={joining.isPending}>
          Join
        </Button>
      </Stack>
    </form>
  );
}
