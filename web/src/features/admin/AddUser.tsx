import { Button, Modal, PasswordInput, Select, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconUserPlus } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, dataOf } from "@/api/client";
import { notify } from "@/components/notify";
import { SubmitForm } from "@/components/SubmitForm";
import { useRefresh } from "./useUserChange";

export function AddUser() {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button leftSection={<IconUserPlus size={16} />} onClick={open}>
        Add a user
      </Button>
      <Modal opened={isOpen} onClose={close} title="Add a user">
        <UserForm close={close} />
      </Modal>
    </>
  );
}

function UserForm({ close }: { close: () => void }) {
  const refresh = useRefresh();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState<"user" | "admin">("user");
  const adding = useMutation({
    mutationFn: () => dataOf(api.POST("/api/users", { body: { name, password, role } })),
    onSuccess: (account) => {
      notify(`${account.name} was added.`);
      close();
      return refresh();
    },
  });
  return (
    <SubmitForm
      action="Add"
      onSubmit={() => adding.mutate()}
      isPending={adding.isPending}
      error={adding.error}
    >
      <TextInput
        label="Name"
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <PasswordInput
        label="Password"
        required
        autoComplete="new-password"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Select
        label="Role"
        data={["user", "admin"]}
        value={role}
        allowDeselect={false}
        onChange={(value) => setRole(value === "admin" ? "admin" : "user")}
      />
    </SubmitForm>
  );
}
