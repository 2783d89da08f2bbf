import { Anchor, Button, Paper, Group as Row, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Group } from "@/api/schema";
import { EmptyState } from "@/components/EmptyState";
import { ErrorMessage } from "@/components/ErrorMessage";
import { pluralize } from "@/components/format";
import { PersonName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { Counts } from "./Counts";
import classes from "./Groups.module.css";
import { groupTitle, stateOf } from "./state";

/** The groups of a room, newest first. */
export default function Groups({ room }: { room: string }) {
  const groups = useInfiniteQuery(queries.groups(room));
  if (groups.isPending) return <Skeleton h={220} />;
  if (groups.isError) return <ErrorMessage error={groups.error} retry={groups.refetch} />;
  const listed = groups.data.pages.flatMap((page) => page.items);
  return (
    <Stack gap="sm">
      <Title order={1} size="h2">
        Groups
      </Title>
      {listed.length === 0 && (
        <EmptyState title="No groups yet">
          Give a field of a tool several values, or submit a sweep from Python.
        </EmptyState>
      )}
      {listed.map((group) => (
        <Entry key={group.id} group={group} />
      ))}
      {groups.hasNextPage && (
        <Button variant="default" loading={groups.isFetchingNextPage} onClick={() => groups.fetchNextPage()}>
          Show older groups
        </Button>
      )}
    </Stack>
  );
}

function Entry({ group }: { group: Group }) {
  return (
    <Paper withBorder className={classes.group}>
      <Row justify="space-between" gap="xs" mb={6}>
        <Anchor component={Link} href={`/groups/${group.id}`} c="inherit" fw={500} className="cover">
          {groupTitle(group)}
        </Anchor>
        <Text size="sm" c="dimmed">
          {stateOf(group)} · {pluralize(group.total, "job")} by <PersonName id={group.user} /> ·{" "}
          <Ago at={group.created_at} />
        </Text>
      </Row>
      <Counts group={group} />
    </Paper>
  );
}
