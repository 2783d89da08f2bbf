import { useLocalStorage } from "@mantine/hooks";
import { useEffect } from "react";
import type { ChatMessage } from "@/api/schema";
import { unreadOf } from "./unread";

/** Nothing is unread on a first visit or while the chat is open. All tabs of a browser share the count. */
export function useUnread(
  room: string,
  me: string,
  messages: ChatMessage[] | undefined,
  isOpen: boolean,
): number {
  const [seen, setSeen] = useLocalStorage<number | null>({
    key: `seen:${room}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const newest = messages && (messages[0]?.seq ?? 0);
  useEffect(() => {
    if (newest !== undefined && (seen === null || (isOpen && newest > seen))) setSeen(newest);
  }, [newest, seen, isOpen, setSeen]);
  return messages && seen !== null ? unreadOf(messages, seen, me) : 0;
}
