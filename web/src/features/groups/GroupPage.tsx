import { Anchor, Group as Row, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Group } from "@/api/schema";
import { ErrorMessage } from "@/components/ErrorMessage";
import { pluralize } from "@/components/format";
import { PersonName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { Counts } from "./Counts";
import { Grid } from "./Grid";
import { GroupActions } from "./GroupActions";
import { JobTable } from "./JobTable";
import { groupTitle, stateOf } from "./state";
import { MAX_CELLS, useGroupJobs } from "./useGroupJobs";

/** Jobs that were submitted as one thing: where they stand, and parameters beside results. */
export default function GroupPage({ room, id }: { room: string; id: string }) {
  const group = useQuery(queries.group(room, id));
  if (group.isPending) return <Skeleton h={220} />;
  if (group.isError) return <ErrorMessage error={group.error} retry={group.refetch} />;
  return <Details group={group.data} />;
}

function Details({ group }: { group: Group }) {
  const { jobs, error, refetch } = useGroupJobs(group);
  return (
    <Stack component="section" aria-label="Group">
      <Row justify="space-between" align="flex-start" gap="xs">
        <Heading group={group} />
        <GroupActions group={group} />
      </Row>
      <Counts group={group} />
      {error && <ErrorMessage error={error} retry={refetch} />}
      {group.total > MAX_CELLS ? (
        <Text size="sm" c="dimmed">
          A group of more than {pluralize(MAX_CELLS, "job")} is shown by its counts and its newest jobs.
        </Text>
      ) : (
        <Grid jobs={jobs} parameters={group.parameters} />
      )}
      <JobTable group={group} jobs={jobs} />
    </Stack>
  );
}

function Heading({ group }: { group: Group }) {
  return (
    <div>
      <Title order={1} size="h3">
        {groupTitle(group)}
      </Title>
      <Text size="sm" c="dimmed">
        {pluralize(group.total, "job")} by <PersonName id={group.user} /> · <Ago at={group.created_at} /> ·{" "}
        <Anchor component={Link} href="/groups" inherit>
          All groups
        </Anchor>
      </Text>
      <Text fw={550} role="status" mt={4}>
        {stateOf(group)}
      </Text>
    </div>
  );
}
