import { Anchor, Container, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Job, Transition } from "@/api/schema";
import { AnnotationPanel } from "@/components/annotation/AnnotationPanel";
import { Collapsible } from "@/components/Collapsible";
import { JsonTree } from "@/components/JsonTree";
import { PersonName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { StateBadge } from "@/components/StateBadge";
import { pathOf, titleOf } from "@/components/tools";
import { Family } from "./Family";
import { JobActions } from "./JobActions";
import { JobPanel } from "./JobPanel";

/** One job: its values, its result and its state history. `questions` are those that it asked. */
export default function JobPage({ id, questions }: { id: string; questions?: ReactNode }) {
  const { data: job } = useQuery(queries.job(id));
  return (
    <Container size="md" p={0}>
      <Stack>
        {job && <Heading job={job} />}
        {job && <AnnotationPanel job={job} title={titleOf(job.name)} />}
        {questions}
        <JobPanel id={id} actions={(job) => <JobActions job={job} />} />
        {job && (
          <Collapsible title="Values" isOpen>
            <JsonTree value={job.data} />
          </Collapsible>
        )}
        {job && <Family job={job} />}
        <StateHistory id={id} />
      </Stack>
    </Container>
  );
}

function Heading({ job }: { job: Job }) {
  const named = job.annotation?.name;
  return (
    <div>
      <Title order={1} size="h3">
        {named || (
          <Anchor component={Link} href={pathOf(job)} inherit c="inherit">
            {titleOf(job.name)}
          </Anchor>
        )}
      </Title>
      <Text size="sm" c="dimmed">
        {named && (
          <>
            <Anchor component={Link} href={pathOf(job)} inherit>
              {titleOf(job.name)}
            </Anchor>{" "}
          </>
        )}
        by <PersonName id={job.user} /> · <Ago at={job.created_at} />
        {job.group && (
          <>
            , in{" "}
            <Anchor component={Link} href={`/groups/${job.group}`} size="sm">
              a group
            </Anchor>
          </>
        )}
        {job.parent && (
          <>
            , submitted by{" "}
            <Anchor component={Link} href={`/jobs/${job.parent}`} size="sm">
              another job
            </Anchor>
          </>
        )}
        {job.retry_of && (
          <>
            , retry of{" "}
            <Anchor component={Link} href={`/jobs/${job.retry_of}`} size="sm">
              an earlier job
            </Anchor>
          </>
        )}
      </Text>
    </div>
  );
}

function StateHistory({ id }: { id: string }) {
  const { data = [] } = useQuery(queries.history(id));
  return (
    <Collapsible title={`State history (${data.length})`}>
      <Stack gap={6} component="ol" p={0} m={0} style={{ listStyle: "none" }}>
        {data.map((transition) => (
          <li key={transition.version}>
            <TransitionRow transition={transition} />
          </li>
        ))}
      </Stack>
    </Collapsible>
  );
}

function TransitionRow({ transition }: { transition: Transition }) {
  return (
    <Group gap="xs">
      <StateBadge status={transition.status} />
      <Text size="sm">
        {transition.reason ? `${transition.reason}, by ${transition.actor}` : `by ${transition.actor}`}
        {transition.attempt > 0 && `, attempt ${transition.attempt}`}
      </Text>
      <Text size="sm" c="dimmed">
        {new Date(transition.at).toLocaleString()}
      </Text>
    </Group>
  );
}
