import { Button, Center, Skeleton, Stack } from "@mantine/core";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ChatPage } from "@/api/schema";
import { EmptyState } from "@/components/EmptyState";
import { ErrorMessage } from "@/components/ErrorMessage";
import classes from "./Chat.module.css";
import { Message } from "./Message";

interface Props {
  chat: UseInfiniteQueryResult<InfiniteData<ChatPage>>;
  me: string;
  close: () => void;
}

export function Messages({ chat, me, close }: Props) {
  if (chat.isPending) return <Skeleton flex={1} />;
  if (chat.isError) return <ErrorMessage error={chat.error} retry={chat.refetch} />;
  const messages = chat.data.pages.flatMap((page) => page.items).reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <div className={classes.scroll} tabIndex={0} role="log" aria-label="Messages">
      <Stack gap="sm">
        {chat.hasNextPage && (
          <Center>
            <Button
              variant="subtle"
              size="xs"
              loading={chat.isFetchingNextPage}
              onClick={() => chat.fetchNextPage()}
            >
              Earlier messages
            </Button>
          </Center>
        )}
        {messages.map((message) => (
          <Message
            key={message.seq}
            message={message}
            isMine={message.user === me && !message.by_job}
            close={close}
          />
        ))}
        {messages.length === 0 && (
          <EmptyState title="No messages yet">Everyone in the room can read this chat.</EmptyState>
        )}
      </Stack>
    </div>
  );
}
