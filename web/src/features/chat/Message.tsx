import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ChatMessage } from "@/api/schema";
import { Ago } from "@/components/Ticking";
import classes from "./Chat.module.css";
import { failureOf } from "./unread";

interface Props {
  message: ChatMessage;
  isMine: boolean;
  close: () => void;
}

export function Message({ message, isMine, close }: Props) {
  if (message.job_id) return <Failure message={message} close={close} />;
  return (
    <article>
      <Group gap="xs" mb={2}>
        <Text size="sm" fw={550}>
          {message.user}
        </Text>
        <When message={message} />
      </Group>
      <Text size="sm" component="div" className={classes.said} data-mine={isMine || undefined}>
        {message.text}
      </Text>
    </article>
  );
}

/** Written by the room itself when a job failed. */
function Failure({ message, close }: Omit<Props, "isMine">) {
  return (
    <article className={classes.said} data-failure>
      <Group gap="xs">
        <Anchor component={Link} href={`/jobs/${message.job_id}`} size="sm" onClick={close}>
          A job failed
        </Anchor>
        <When message={message} />
      </Group>
      <Text size="sm" c="dimmed" lineClamp={4}>
        {failureOf(message)}
      </Text>
    </article>
  );
}

function When({ message }: { message: ChatMessage }) {
  return (
    <Text size="xs" c="dimmed">
      <Ago at={message.at} />
    </Text>
  );
}
