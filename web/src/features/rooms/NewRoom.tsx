import { Button, Checkbox, Modal, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { api, dataOf } from "@/api/client";
import { SubmitForm } from "@/components/SubmitForm";

export function NewRoom() {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={open}>
        New room
      </Button>
      <Modal opened={isOpen} onClose={close} title="New room">
        <NewRoomForm />
      </Modal>
    </>
  );
}

function NewRoomForm() {
  const client = useQueryClient();
  const [, go] = useLocation();
  const [name, setName] = useState("");
  const [title, setTitle] = useState("");
  const [isPrivate, setPrivate] = useState(false);
  const creating = useMutation({
    mutationFn: () => dataOf(api.POST("/api/rooms", { body: { name, title, private: isPrivate } })),
    onSuccess: (room) => {
      void client.invalidateQueries({ queryKey: ["rooms"] });
      go(`~/rooms/${room.name}`);
    },
  });
  return (
    <SubmitForm
      action="Create room"
      onSubmit={() => creating.mutate()}
      isPending={creating.isPending}
      error={creating.error}
    >
      <TextInput
        label="Name"
        description="Used in its address: letters, digits, - and _"
        required
        maxLength={64}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label="Title"
        description="Shown instead of the name (optional)"
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Checkbox
        label="Private: only members can enter"
        checked={isPrivate}
        onChange={(event) => setPrivate(event.currentTarget.checked)}
      />
    </SubmitForm>
  );
}
