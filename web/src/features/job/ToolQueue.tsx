import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { type ExtensionId, queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { pluralize } from "@/components/format";
import { PersonName } from "@/components/PersonName";
import { Since } from "@/components/RelativeTime";
import { StateBadge } from "@/components/StateBadge";
import { inTurn } from "./inTurn";

const SHOWN = 8;

/** What everyone runs on this tool, and who is next. Empty while it is idle. */
export function ToolQueue({ room, id }: { room: string; id: ExtensionId }) {
  const { data = [] } = useQuery(queries.active(room, id));
  if (data.length === 0) return null;
  const jobs = inTurn(data);
  const running = jobs.filter(({ status }) => status !== "pending").length;
  const counts = [
    running && `${running} running`,
    jobs.length - running && `${jobs.length - running} waiting`,
  ];
  return (
    <div>
      <Group gap="xs" mb={6} align="baseline">
        <Title order={2} size="h5">
          Now on this tool
        </Title>
        <Text size="sm" c="dimmed" role="status">
          {counts.filter(Boolean).join(", ")}
        </Text>
      </Group>
      <Stack
        component="ul"
        gap={4}
        p={0}
        m={0}
        style={{ listStyle: "none" }}
        aria-label="Running and waiting here"
      >
        {jobs.slice(0, SHOWN).map((job) => (
          <Row key={job.id} job={job} />
        ))}
      </Stack>
      {jobs.length > SHOWN && (
        <Text size="xs" c="dimmed" mt={4}>{`and ${pluralize(jobs.length - SHOWN, "more job")}`}</Text>
      )}
    </div>
  );
}

function Row({ job }: { job: Job }) {
  const { status, queue_position: ahead } = job;
  return (
    <Group component="li" gap="xs" wrap="nowrap">
      <StateBadge status={status} />
      <Anchor component={Link} href={`/jobs/${job.id}`} c="inherit" size="sm" truncate flex={1} miw={0}>
        <PersonName id={job.user} />
      </Anchor>
      <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap", fontVariantNumeric: "tabular-nums" }}>
        {status === "pending" && ahead !== null && (ahead === 0 ? "next, " : `${ahead} ahead, `)}
        for <Since at={sinceOf(job)} />
      </Text>
    </Group>
  );
}

function sinceOf({ started_at, assigned_at, created_at }: Job): string {
  return started_at ?? assigned_at ?? created_at;
}
