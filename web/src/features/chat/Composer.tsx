import { ActionIcon, Group, Text, Textarea } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import { api, dataOf } from "@/api/client";
import { queries } from "@/api/queries";
import { useIsViewer, ViewOnlyText } from "@/components/ViewOnly";

/** Enter sends, Shift-Enter starts a new line. A message that could not be sent stays in the field. */
export function Composer({ room }: { room: string }) {
  const client = useQueryClient();
  const isViewer = useIsViewer(room);
  const [text, setText] = useState("");
  const posting = useMutation({
    mutationFn: (text: string) =>
      dataOf(api.POST("/api/rooms/{room}/chat", { params: { path: { room } }, body: { text } })),
    onSuccess: () => {
      setText("");
      void client.invalidateQueries({ queryKey: queries.chat(room).queryKey });
    },
  });
  const send = () => {
    const message = text.trim();
    if (message && !posting.isPending) posting.mutate(message);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  if (isViewer) return <ViewOnlyText />;
  return (
    <div>
      {posting.error && (
        <Text size="sm" c="red" role="alert" mb={4}>
          {posting.error.message}
        </Text>
      )}
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Textarea
          aria-label="Message"
          placeholder="Write to the room"
          autosize
          maxRows={6}
          maxLength={4000}
          flex={1}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          data-autofocus
        />
        <ActionIcon
          size={36}
          aria-label="Send"
          disabled={!text.trim()}
          loading={posting.isPending}
          onClick={send}
        >
          <IconSend size={18} />
        </ActionIcon>
      </Group>
    </div>
  );
}
