import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ChatMessage } from "@/api/schema";
import { PersonName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
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
        <Author message={message} close={close} />
        <When message={message} />
      </Group>
      <Text size="sm" component="div" className={classes.message} data-mine={isMine || undefined}>
        {message.text}
      </Text>
    </article>
  );
}

/** A person or one of their jobs. A job's message must not look like its user's own. */
function Author({ message, close }: Omit<Props, "isMine">) {
  if (!message.by_job)
    return (
      <Text size="sm" fw={550} component="div" miw={0}>
        <PersonName id={message.user} />
      </Text>
    );
  return (
    <Text size="sm" c="dimmed">
      by{" "}
      <Anchor component={Link} href={`/jobs/${message.by_job}`} size="sm" onClick={close}>
        job {message.by_job.slice(-8)}
      </Anchor>{" "}
      of <PersonName id={message.user} />
    </Text>
  );
}

/** Posted by the server when a job failed. */
function Failure({ message, close }: Omit<Props, "isMine">) {
  return (
    <article className={classes.message} data-failure>
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
