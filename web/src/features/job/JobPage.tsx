import { Anchor, Container, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Job, Transition } from "@/api/schema";
import { Folded } from "@/components/Folded";
import { JsonTree } from "@/components/JsonTree";
import { StateBadge } from "@/components/StateBadge";
import { Ago } from "@/components/Ticking";
import { pathOf, titleOf } from "@/components/tools";
import { JobActions } from "./JobActions";
import { JobPanel } from "./JobPanel";

/** The record of one job: what was asked, what came of it, and every step between. */
export default function JobPage({ id }: { id: string }) {
  const { data: job } = useQuery(queries.job(id));
  return (
    <Container size="md" p={0}>
      <Stack>
        {job && <Heading job={job} />}
        <JobPanel id={id} actions={(job) => <JobActions job={job} />} />
        {job && (
          <Folded title="Values" isOpen>
            <JsonTree value={job.data} />
          </Folded>
        )}
        <Steps id={id} />
      </Stack>
    </Container>
  );
}

function Heading({ job }: { job: Job }) {
  return (
    <div>
      <Title order={1} size="h3">
        <Anchor component={Link} href={pathOf(job)} inherit c="inherit">
          {titleOf(job.name)}
        </Anchor>
      </Title>
      <Text size="sm" c="dimmed">
        by {job.user}, <Ago at={job.created_at} />
        {job.retry_of && (
          <>
            , again after{" "}
            <Anchor component={Link} href={`/jobs/${job.retry_of}`} size="sm">
              an earlier job
            </Anchor>
          </>
        )}
      </Text>
    </div>
  );
}

function Steps({ id }: { id: string }) {
  const { data = [] } = useQuery(queries.history(id));
  return (
    <Folded title={`Every step (${data.length})`}>
      <Stack gap={6} component="ol" p={0} m={0} style={{ listStyle: "none" }}>
        {data.map((step) => (
          <li key={step.version}>
            <Step step={step} />
          </li>
        ))}
      </Stack>
    </Folded>
  );
}

function Step({ step }: { step: Transition }) {
  return (
    <Group gap="xs">
      <StateBadge status={step.status} />
      <Text size="sm">
        {step.reason ? `${step.reason}, by ${step.actor}` : `by ${step.actor}`}
        {step.attempt > 0 && `, attempt ${step.attempt}`}
      </Text>
      <Text size="sm" c="dimmed">
        {new Date(step.at).toLocaleString()}
      </Text>
    </Group>
  );
}
