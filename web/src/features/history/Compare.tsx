import { Anchor, Group, Modal, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { ErrorMessage } from "@/components/ErrorMessage";
import { PersonName } from "@/components/PersonName";
import { Ago, useNow } from "@/components/RelativeTime";
import { StateBadge } from "@/components/StateBadge";
import { titleOf } from "@/components/tools";
import { Differences } from "./Differences";
import { spansOf, spansText } from "./spans";

/** Compares two jobs side by side. */
export function Compare({ pair, close }: { pair: [string, string]; close: () => void }) {
  const isPhone = useMediaQuery("(max-width: 48em)");
  return (
    <Modal
      opened
      onClose={close}
      title="Compare two jobs"
      size={960}
      fullScreen={isPhone}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Comparison pair={pair} />
    </Modal>
  );
}

function Comparison({ pair }: { pair: [string, string] }) {
  const [left, right] = useQueries({ queries: pair.map(queries.job) });
  const failed = [left, right].find((each) => each?.isError);
  if (failed?.error) return <ErrorMessage error={failed.error} retry={failed.refetch} />;
  if (!left?.data || !right?.data) return <Skeleton h={320} />;
  return (
    <Stack>
      <SimpleGrid cols={2} spacing="md">
        <Side job={left.data} />
        <Side job={right.data} />
      </SimpleGrid>
      <Section title="Values" left={left.data.data} right={right.data.data} />
      <Section title="Result" left={outcomeOf(left.data)} right={outcomeOf(right.data)} />
    </Stack>
  );
}

function Side({ job }: { job: Job }) {
  const now = useNow();
  return (
    <Stack gap={4} miw={0}>
      <Group gap="xs" justify="space-between">
        <Anchor component={Link} href={`/jobs/${job.id}`} fw={550} c="inherit">
          {titleOf(job.name)}
        </Anchor>
        <StateBadge status={job.status} />
      </Group>
      <Text size="sm" c="dimmed">
        by <PersonName id={job.user} /> · <Ago at={job.created_at} />
      </Text>
      <Text size="sm" c="dimmed">
        {spansText(spansOf(job, now))}
      </Text>
    </Stack>
  );
}

function Section({ title, left, right }: { title: string; left: unknown; right: unknown }) {
  return (
    <section>
      <Title order={3} size="h5" mb={4}>
        {title}
      </Title>
      <Differences name={title} left={left} right={right} />
    </section>
  );
}

function outcomeOf(job: Job): unknown {
  return job.error ? { error: job.error.type, message: job.error.message } : (job.result ?? undefined);
}
