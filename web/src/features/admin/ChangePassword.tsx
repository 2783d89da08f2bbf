import { Button, Modal, PasswordInput, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useUserChange } from "./useUserChange";

export function ChangePassword({ user, close }: { user: string; close: () => void }) {
  const [password, setPassword] = useState("");
  const changing = useUserChange(user);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changing.mutate({ change: { password }, done: `${user} has a new password.` }, { onSuccess: close });
  };
  return (
    <Modal opened onClose={close} title={`A password for ${user}`}>
      <form onSubmit={submit}>
        <Stack>
          <PasswordInput
            label="New password"
            description="All sessions of this account end."
            required
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            data-autofocus
          />
          <Button type="submit" loading={changing.isPending}>
            Set the password
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
