import { Button, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { Refusal } from "./Refusal";

interface Props {
  action: string;
  onSubmit: () => void;
  isPending: boolean;
  error: Error | null | undefined;
  children: ReactNode;
}

/** Fields in a column, with what went wrong above them and one button below. */
export function SubmitForm({ action, onSubmit, isPending, error, children }: Props) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refusal error={error} />
        {children}
        <Button type="submit" loading={isPending}>
          {action}
        </Button>
      </Stack>
    </form>
  );
}
