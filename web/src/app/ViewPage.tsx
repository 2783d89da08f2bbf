import { Select, Stack } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "@/api/queries";
import type { Extension } from "@/api/schema";
import { loadDraft } from "@/components/draft";
import { EmptyState } from "@/components/EmptyState";
import { Loading } from "@/components/Loading";
import { groupTools, titleOf } from "@/components/tools";
import { useIsViewer } from "@/components/ViewOnly";
import { JobActions } from "@/features/job/JobActions";
import { JobCards } from "@/features/job/JobCards";
import { RunForm } from "@/features/run/RunForm";
import { ToolHeading } from "@/features/run/ToolHeading";
import View from "@/features/view/View";

const LAST_JOBS = 5;

/** The frames of a room, with its tools beside them. */
export default function ViewPage({ room, me }: { room: string; me: string }) {
  const isViewer = useIsViewer(room);
  return <View room={room} me={me} mayEdit={!isViewer} tools={<ToolPanel room={room} />} />;
}

function ToolPanel({ room }: { room: string }) {
  const { data: tools = [], isPending } = useQuery(queries.extensions(room));
  const [chosen, setChosen] = useState<string | null>(null);
  if (isPending) return <Loading />;
  if (tools.length === 0)
    return <EmptyState title="No tools yet">They appear here when a worker offers some.</EmptyState>;
  const keyOf = ({ category, name }: Extension) => `${category}/${name}`;
  const tool = tools.find((each) => keyOf(each) === chosen);
  return (
    <Stack>
      <Select
        label="Tool"
        searchable
        placeholder="Choose a tool"
        data={groupTools(tools).map(({ name, tools: own }) => ({
          group: name,
          items: own.map((each) => ({ value: keyOf(each), label: titleOf(each.name) })),
        }))}
        value={chosen}
        onChange={setChosen}
      />
      {tool && <ToolForm key={keyOf(tool)} room={room} tool={tool} />}
    </Stack>
  );
}

function ToolForm({ room, tool }: { room: string; tool: Extension }) {
  const values = useQuery({ ...queries.values(room, tool), staleTime: Number.POSITIVE_INFINITY });
  const jobs = useInfiniteQuery(
    queries.jobs(room, { extension: `${tool.category}/${tool.name}` }, LAST_JOBS),
  );
  const listed = jobs.data?.pages[0]?.items ?? [];
  if (values.isPending) return <Loading />;
  return (
    <>
      <ToolHeading tool={tool} />
      <RunForm
        key={tool.schema_hash}
        room={room}
        tool={tool}
        initial={loadDraft(room, tool) ?? values.data ?? {}}
        onJob={() => void jobs.refetch()}
      />
      <JobCards
        jobs={listed}
        current={listed[0]?.id}
        tool={tool}
        actions={(job) => <JobActions job={job} />}
      />
    </>
  );
}
