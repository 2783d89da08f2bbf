import { ActionIcon, Drawer, Indicator } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconMessageCircle } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import classes from "./Chat.module.css";
import { Composer } from "./Composer";
import { Messages } from "./Messages";
import { useUnread } from "./useUnread";

const MAX_UNREAD = 50;

/** The room's chat, opened by a button that shows the number of unread messages. */
export default function Chat({ room, me }: { room: string; me: string }) {
  const [isOpen, { open, close }] = useDisclosure();
  const chat = useInfiniteQuery(queries.chat(room));
  const messages = chat.data?.pages.flatMap((page) => page.items);
  const unread = useUnread(room, me, messages, isOpen);
  const count = unread >= MAX_UNREAD ? `${MAX_UNREAD}+` : String(unread);
  return (
    <>
      <Indicator label={count} disabled={unread === 0} size={16} offset={4} color="red" autoContrast={false}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={unread ? `Chat, ${count} unread` : "Chat"}
          onClick={open}
        >
          <IconMessageCircle size={18} stroke={1.6} />
        </ActionIcon>
      </Indicator>
      <Drawer
        opened={isOpen}
        onClose={close}
        position="right"
        size="min(100vw, 420px)"
        title="Chat"
        classNames={{ content: classes.drawer, body: classes.body }}
      >
        <Messages chat={chat} me={me} close={close} />
        <Composer room={room} />
      </Drawer>
    </>
  );
}
