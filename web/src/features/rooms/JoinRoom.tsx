import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { JoinForm } from "./JoinForm";

/** Joins a private room, which is not listed before. */
export function JoinRoom() {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={open}>
        I have a code
      </Button>
      <Modal opened={isOpen} onClose={close} title="Join a room">
        <JoinForm />
      </Modal>
    </>
  );
}
