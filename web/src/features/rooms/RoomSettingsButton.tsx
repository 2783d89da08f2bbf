import { ActionIcon, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconSettings } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { queries } from "@/api/queries";
import { Loading } from "@/components/Loading";

const RoomSettings = lazy(() => import("./RoomSettings"));

/** Shown to the room's owner and to admins. */
export function RoomSettingsButton({ room: name }: { room: string }) {
  const { data: me } = useQuery(queries.me());
  const { data: room } = useQuery(queries.room(name));
  const [isOpen, { open, close }] = useDisclosure();
  if (!me || !room || (me.role !== "admin" && me.user !== room.owner)) return null;
  return (
    <>
      <ActionIcon variant="subtle" color="gray" aria-label="Room settings" onClick={open}>
        <IconSettings size={18} stroke={1.6} />
      </ActionIcon>
      <Modal opened={isOpen} onClose={close} title="Room settings" size="lg">
        <Suspense fallback={<Loading />}>
          <RoomSettings room={room} />
        </Suspense>
      </Modal>
    </>
  );
}
