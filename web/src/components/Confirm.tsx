import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Refusal } from "./Refusal";

interface Props {
  title: string;
  action: string;
  children: ReactNode;
  isOpen: boolean;
  isBusy: boolean;
  isReady?: boolean;
  error?: Error | null;
  color?: string;
  close: () => void;
  confirm: () => void;
}

/** Asks for confirmation before something that cannot be undone. */
export function Confirm({
  title,
  action,
  children,
  isOpen,
  isBusy,
  isReady = true,
  error,
  color,
  close,
  confirm,
}: Props) {
  return (
    <Modal opened={isOpen} onClose={close} title={title} centered>
      <Stack>
        <Refusal error={error} />
        <div>{children}</div>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Go back
          </Button>
          <Button color={color} loading={isBusy} disabled={!isReady} onClick={confirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
