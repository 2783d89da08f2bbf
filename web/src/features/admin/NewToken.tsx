import { Button, Modal, NumberInput, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, dataOf } from "@/api/client";
import { CopyableCode } from "@/components/CopyableCode";
import { SubmitForm } from "@/components/SubmitForm";
import { useRefresh } from "./useUserChange";

const ROLES = [
  { value: "worker", label: "worker: offers tools and runs their jobs" },
  { value: "runner", label: "runner: runs the server's own tools" },
  { value: "user", label: "user: enters rooms and submits jobs" },
  { value: "admin", label: "admin: everything" },
] as const;
type Role = (typeof ROLES)[number]["value"];

/** A token for a machine. It is shown once. */
export function NewToken() {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<IconKey size={16} />} onClick={open}>
        New token
      </Button>
      <Modal opened={isOpen} onClose={close} title="A token for a machine">
        <TokenForm />
      </Modal>
    </>
  );
}

function TokenForm() {
  const refresh = useRefresh();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("worker");
  const [days, setDays] = useState<number | string>(30);
  const creating = useMutation({
    mutationFn: () => dataOf(api.POST("/api/tokens", { body: { name, role, days: Number(days) } })),
    onSuccess: refresh,
  });
  if (creating.data)
    return (
      <Stack>
        <Text size="sm">
          Set it as WORKROOM_TOKEN on the machine. It is shown only now, and expires on{" "}
          {new Date(creating.data.expires_at ?? 0).toLocaleDateString()}; workers renew it while they run.
        </Text>
        <CopyableCode text={creating.data.token} label="the token" />
      </Stack>
    );
  return (
    <SubmitForm
      action="Create"
      onSubmit={() => creating.mutate()}
      isPending={creating.isPending}
      error={creating.error}
    >
      <TextInput
        label="Name of the machine"
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <Select
        label="Role"
        data={ROLES}
        value={role}
        allowDeselect={false}
        onChange={(value) => value && setRole(value)}
      />
      <NumberInput label="Valid for days" min={1} max={3650} value={days} onChange={setDays} />
    </SubmitForm>
  );
}
