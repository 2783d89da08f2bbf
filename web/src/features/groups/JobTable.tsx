import { Anchor, Group as Row, Table, Text, Title } from "@mantine/core";
import { useMemo } from "react";
import { Link } from "wouter";
import { mounted } from "@/api/mount";
import type { Group, Job } from "@/api/schema";
import { pluralize } from "@/components/format";
import { resultSummary } from "@/components/resultSummary";
import { StateBadge } from "@/components/StateBadge";
import { Chart } from "./Chart";
import { parametersOf, plainParts, resultsOf, textOf } from "./columns";
import classes from "./Groups.module.css";
import { Sheet } from "./Sheet";

const MAX_ROWS = 200;

/** The parameters of each job beside its result. */
export function JobTable({ group, jobs }: { group: Group; jobs: Job[] }) {
  const rows = jobs.slice(0, MAX_ROWS);
  const parameters = useMemo(() => parametersOf(group.parameters, jobs), [group.parameters, jobs]);
  const results = useMemo(() => resultsOf(jobs), [jobs]);
  if (jobs.length === 0) return null;
  return (
    <>
      <Sheet jobs={jobs} parameters={parameters} />
      <Chart jobs={jobs} parameters={parameters} results={results} />
      <section aria-label="Results">
        <Row justify="space-between" mb={4}>
          <Title order={2} size="h5">
            Results
          </Title>
          <Text size="sm" c="dimmed">
            {rows.length < group.total && `${rows.length} of ${pluralize(group.total, "job")} · `}
            <Anchor href={mounted(`/api/groups/${group.id}/jobs.csv`)} download inherit>
              All as CSV
            </Anchor>
          </Text>
        </Row>
        <Table.ScrollContainer minWidth={0} maxHeight={600} tabIndex={0}>
          <Table stickyHeader highlightOnHover className={classes.table} aria-label="Parameters and results">
            <Table.Thead>
              <Table.Tr>
                {["Job", ...parameters, "State", ...(results.length ? results : ["result"])].map(
                  (name, column) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a parameter and a result may have the same name
                    <Table.Th key={column}>{name}</Table.Th>
                  ),
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((job, index) => (
                <JobCells
                  key={job.id}
                  job={job}
                  number={index + 1}
                  parameters={parameters}
                  results={results}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </section>
    </>
  );
}

interface CellsProps {
  job: Job;
  number: number;
  parameters: string[];
  results: string[];
}

function JobCells({ job, number, parameters, results }: CellsProps) {
  const parts = plainParts(job.result);
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor component={Link} href={`/jobs/${job.id}`} size="sm">
          {number}
        </Anchor>
      </Table.Td>
      {parameters.map((name) => (
        <Table.Td key={name}>{textOf(job.data[name])}</Table.Td>
      ))}
      <Table.Td miw={120}>
        <StateBadge status={job.status} />
      </Table.Td>
      {job.error ? (
        <Table.Td colSpan={Math.max(results.length, 1)} title={job.error.message}>
          {job.error.message}
        </Table.Td>
      ) : results.length ? (
        results.map((name) => <Table.Td key={name}>{name in parts ? textOf(parts[name]) : ""}</Table.Td>)
      ) : (
        <Table.Td>{resultSummary(job.result)?.text}</Table.Td>
      )}
    </Table.Tr>
  );
}
