import { Anchor, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import { Link, useLocation } from "wouter";
import { type ExtensionId, queries } from "@/api/queries";
import type { Extension, Job, Myself } from "@/api/schema";
import { loadDraft, saveDraft } from "@/components/draft";
import { EmptyState } from "@/components/EmptyState";
import { ErrorMessage } from "@/components/ErrorMessage";
import { Loading } from "@/components/Loading";
import { titleOf } from "@/components/tools";
import { JobActions } from "@/features/job/JobActions";
import { JobCards } from "@/features/job/JobCards";
import { ToolQueue } from "@/features/job/ToolQueue";
import { RunForm } from "@/features/run/RunForm";
import { ToolHeading } from "@/features/run/ToolHeading";
import classes from "./RunPage.module.css";

const LAST_JOBS = 10;

interface Props {
  me: Myself;
  room: string;
  id: ExtensionId;
}

/** A tool's form, with my last jobs beside it and everyone's current ones below. */
export default function RunPage({ me, room, id }: Props) {
  const extensions = useQuery(queries.extensions(room));
  if (extensions.isPending) return <Loading />;
  if (extensions.isError) return <ErrorMessage error={extensions.error} retry={extensions.refetch} />;
  const tool = extensions.data.find((each) => each.category === id.category && each.name === id.name);
  return <Workbench me={me} room={room} id={id} tool={tool} />;
}

/** A tool that is gone has no form, but its jobs are still shown. */
function Workbench({ me, room, id, tool }: Props & { tool?: Extension }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const [edits, setEdits] = useState(0);
  const [submitted, setSubmitted] = useState<Job | null>(null);
  const jobs = useInfiniteQuery(
    queries.jobs(room, { extension: `${id.category}/${id.name}`, user: me.user }, LAST_JOBS),
  );
  const listed = jobs.data?.pages[0]?.items ?? [];
  const shown = submitted && !listed.some((job) => job.id === submitted.id) ? [submitted, ...listed] : listed;
  const show = (job: Job) => {
    client.setQueryData(queries.job(job.id).queryKey, job, { updatedAt: 0 }); // stale: its queue position is unknown
    setSubmitted(job);
  };
  const edit = (job: Job) => {
    saveDraft(room, id, job.data);
    setEdits(edits + 1);
  };
  return (
    <div className={classes.page}>
      {tool ? (
        <Stack>
          <ToolHeading tool={tool} />
          <Form key={edits} room={room} tool={tool} onJob={show} onGroup={({ id }) => go(`/groups/${id}`)} />
        </Stack>
      ) : (
        <UnavailableTool id={id} />
      )}
      {id.category !== "settings" && (
        <>
          <Stack gap="xs" className={classes.jobs}>
            <Group justify="space-between">
              <Title order={2} size="h5">
                Your jobs
              </Title>
              <Anchor component={Link} href={historyOf(id)} size="sm">
                History
              </Anchor>
            </Group>
            {shown.length > 0 ? (
              <JobCards
                jobs={shown}
                current={(submitted ?? shown[0])?.id}
                tool={tool}
                actions={(job) => <JobActions job={job} onAgain={show} onEdit={edit} />}
              />
            ) : (
              <EmptyState title="No job yet">Run the tool to see its progress and result here.</EmptyState>
            )}
          </Stack>
          <ToolQueue room={room} id={id} />
        </>
      )}
    </div>
  );
}

function UnavailableTool({ id }: { id: ExtensionId }) {
  return (
    <Stack gap={4}>
      <Title order={1} size="h3">
        {titleOf(id.name)}
      </Title>
      <Text c="dimmed" size="sm">
        This tool is not available: its last worker has left the room. It returns when a worker offers it
        again. Past jobs stay in the history.
      </Text>
    </Stack>
  );
}

/** Starts with the unsaved draft, or else with the values that were submitted last. */
function Form({ room, tool, ...handlers }: Omit<ComponentProps<typeof RunForm>, "initial">) {
  const values = useQuery({ ...queries.values(room, tool), staleTime: Number.POSITIVE_INFINITY });
  if (values.isPending) return <Skeleton h={220} />;
  const initial = loadDraft(room, tool) ?? values.data ?? {};
  return <RunForm key={tool.schema_hash} room={room} tool={tool} initial={initial} {...handlers} />;
}

function historyOf({ category, name }: ExtensionId): string {
  return `/history?extension=${encodeURIComponent(`${category}/${name}`)}`;
}
