import { Anchor, Checkbox, Group, Select, Table, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { type AnyJobFilter, queries } from "@/api/queries";
import type { Job, JobState } from "@/api/schema";
import { formatDuration } from "@/components/format";
import { PersonName } from "@/components/PersonName";
import { Ago } from "@/components/RelativeTime";
import { StateBadge } from "@/components/StateBadge";
import { STATES } from "@/components/state";
import { JobActions } from "./JobActions";
import { More, Nothing, Page } from "./Page";

const MOST_SELECTED = 200;

/** The jobs of all rooms, newest first. */
export function AllJobs() {
  const [filter, setFilter] = useState<AnyJobFilter>({});
  const [settled] = useDebouncedValue(filter, 300);
  const query = useInfiniteQuery(queries.anyJobs(complete(settled)));
  const [picked, setPicked] = useState<string[]>([]);
  const jobs = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const ids = picked.filter((id) => jobs.some((job) => job.id === id));
  const change = (part: AnyJobFilter) => {
    setPicked([]);
    setFilter((now) => ({ ...now, ...part }));
  };
  const toggle = (id: string) =>
    setPicked((now) =>
      now.includes(id) ? now.filter((each) => each !== id) : [...now, id].slice(-MOST_SELECTED),
    );
  return (
    <Page title="Jobs" query={query}>
      <Filters filter={filter} change={change} />
      {ids.length > 0 && <JobActions ids={ids} clear={() => setPicked([])} />}
      {jobs.length === 0 ? (
        <Nothing>No job matches.</Nothing>
      ) : (
        <JobTable jobs={jobs} picked={ids} toggle={toggle} pick={setPicked} />
      )}
      <More {...query} />
    </Page>
  );
}

interface FilterProps {
  filter: AnyJobFilter;
  change: (part: AnyJobFilter) => void;
}

function Filters({ filter, change }: FilterProps) {
  const text = (name: "room" | "user" | "extension", label: string, placeholder: string) => (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      w={170}
      value={filter[name] ?? ""}
      onChange={(event) => change({ [name]: event.currentTarget.value || undefined })}
    />
  );
  return (
    <Group gap="xs" role="search" aria-label="Filter jobs">
      <Select
        aria-label="State"
        placeholder="Any state"
        data={STATES}
        value={filter.status ?? null}
        onChange={(status) => change({ status: (status as JobState | null) ?? undefined })}
        clearable
        w={140}
      />
      {text("room", "Room", "Any room")}
      {text("user", "User", "Any user")}
      {text("extension", "Tool", "category/Tool")}
    </Group>
  );
}

interface TableProps {
  jobs: Job[];
  picked: string[];
  toggle: (id: string) => void;
  pick: (ids: string[]) => void;
}

function JobTable({ jobs, picked, toggle, pick }: TableProps) {
  const listed = jobs.slice(0, MOST_SELECTED).map(({ id }) => id);
  const isAll = listed.every((id) => picked.includes(id));
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table verticalSpacing={6} striped aria-label="Jobs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={40}>
              <Checkbox
                size="xs"
                aria-label={`Select all ${listed.length} listed jobs`}
                checked={isAll}
                indeterminate={!isAll && picked.length > 0}
                onChange={() => pick(isAll ? [] : listed)}
              />
            </Table.Th>
            <Table.Th>Tool</Table.Th>
            <Table.Th>Room</Table.Th>
            <Table.Th>By</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>When</Table.Th>
            <Table.Th ta="right">Waited</Table.Th>
            <Table.Th ta="right">Ran</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {jobs.map((job) => (
            <Row key={job.id} job={job} isPicked={picked.includes(job.id)} toggle={() => toggle(job.id)} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ job, isPicked, toggle }: { job: Job; isPicked: boolean; toggle: () => void }) {
  const label = `${job.category}/${job.name}`;
  return (
    <Table.Tr>
      <Table.Td>
        <Checkbox
          size="xs"
          aria-label={`Select ${label} of ${job.user} in ${job.room}`}
          checked={isPicked}
          onChange={toggle}
        />
      </Table.Td>
      <Table.Td>
        <Anchor component={Link} href={`~/rooms/${job.room}/jobs/${job.id}`} size="sm">
          {label}
        </Anchor>
      </Table.Td>
      <Table.Td>{job.room}</Table.Td>
      <Table.Td>
        <PersonName id={job.user} />
      </Table.Td>
      <Table.Td>
        <StateBadge status={job.status} />
      </Table.Td>
      <Table.Td>
        <Ago at={job.created_at} />
      </Table.Td>
      <Table.Td ta="right">{duration(job.wait_time_ms)}</Table.Td>
      <Table.Td ta="right">{duration(job.execution_time_ms)}</Table.Td>
    </Table.Tr>
  );
}

/** A tool has a category: what is typed before the slash finds nothing. */
function complete({ extension, ...filter }: AnyJobFilter): AnyJobFilter {
  return extension?.includes("/") ? { ...filter, extension } : filter;
}

function duration(ms: number | null): string {
  return ms === null ? "–" : formatDuration(ms);
}
