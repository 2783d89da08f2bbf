import { Button, Code, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { SERVER_URL } from "@/api/mount";
import { CopyableCode } from "@/components/CopyableCode";
import { useIsViewer } from "@/components/ViewOnly";
import { PairingCode } from "./PairingCode";

const SAMPLE = `from workroom import Extension

class MyTool(Extension, category="analysis"):
    """What it does, for the page."""
    number: int = 5

    def run(self, job):
        return {"twice": 2 * self.number}`;

export function AddWorker({ room }: { room: string | null }) {
  const [isOpen, { open, close }] = useDisclosure();
  if (useIsViewer(room ?? "")) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconPlus size={16} />} onClick={open}>
        Add a worker
      </Button>
      <Modal opened={isOpen} onClose={close} title="Add a worker" size="lg">
        <Steps room={room} />
      </Modal>
    </>
  );
}

function Steps({ room }: { room: string | null }) {
  const target = room === null ? "--public" : `--room ${room}`;
  return (
    <Stack gap="sm">
      <Text size="sm">
        Any machine that can reach this server can run a worker. Write a tool there, in <Code>tools.py</Code>:
      </Text>
      <CopyableCode text={SAMPLE} label="the tool" />
      <Text size="sm">Then start the worker. It appears here at once. Stop it with Ctrl-C.</Text>
      <CopyableCode
        text={`workroom worker tools.py:MyTool ${target} --url ${SERVER_URL}`}
        label="the command"
      />
      {room !== null && <PairingCode room={room} />}
    </Stack>
  );
}
