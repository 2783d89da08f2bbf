import { Anchor, Table, Text } from "@mantine/core";
import { Link } from "wouter";
import type { Job } from "@/api/schema";
import { PersonName } from "@/components/PersonName";
import { Ago, useNow } from "@/components/RelativeTime";
import { StateBadge } from "@/components/StateBadge";
import { isOver } from "@/components/state";
import { spansOf, spansText } from "../spans";
import classes from "./Compare.module.css";
import { type Line, shortened, textOf } from "./lines";

interface Props {
  name: string;
  /** Who ran each job and when is shown once. */
  isBrief?: boolean;
  lines: Line[];
  jobs: Job[];
  labels: string[];
}

const NAME_PX = 130;
const COLUMN_PX = 150;

/** A row for each value and a column for each job, with differences marked. */
export function Lines({ name, isBrief = false, lines, jobs, labels }: Props) {
  const count = lines.filter((line) => line.differs).length;
  const { shown, more } = shortened(lines);
  return (
    <div>
      <Text size="sm" c="dimmed" mb="xs">
        {lines.length === 0
          ? "There is nothing to list."
          : count === 0
            ? "All are identical."
            : `${count} of ${lines.length} differ.`}
      </Text>
      <Table.ScrollContainer minWidth={NAME_PX + COLUMN_PX * jobs.length} type="native">
        <Table withTableBorder layout="fixed" verticalSpacing={4} fz="sm" aria-label={name}>
          <Table.Thead>
            <Table.Tr>
              <Table.Td w={NAME_PX} className={classes.name} />
              {jobs.map((job, index) => (
                <Table.Th key={job.id} scope="col" className={classes.job}>
                  <JobLink job={job} label={labels[index] ?? ""} />
                  {!isBrief && <JobFacts job={job} />}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((line) => (
              <Row key={line.path} line={line} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {more > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          and {more.toLocaleString("en")} more
        </Text>
      )}
    </div>
  );
}

function JobLink({ job, label }: { job: Job; label: string }) {
  return (
    <Anchor
      component={Link}
      href={`/jobs/${job.id}`}
      size="sm"
      fw={550}
      c="inherit"
      title={label}
      lineClamp={2}
    >
      {label}
    </Anchor>
  );
}

function JobFacts({ job }: { job: Job }) {
  const now = useNow(isOver(job) ? 60_000 : 1000);
  return (
    <>
      <StateBadge status={job.status} />
      <Text size="xs" c="dimmed" fw={400} truncate component="div">
        <PersonName id={job.user} /> · <Ago at={job.created_at} />
      </Text>
      <Text size="xs" c="dimmed" fw={400}>
        {spansText(spansOf(job, now))}
      </Text>
    </>
  );
}

function Row({ line: { path, values, differs } }: { line: Line }) {
  return (
    <Table.Tr className={classes.line} data-differs={differs || undefined}>
      <Table.Th scope="row" fw={400} className={classes.name}>
        {path || "value"}
        {differs && " ≠"}
      </Table.Th>
      {values.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one column for each job
        <Table.Td key={index} ff="monospace" fw={differs ? 600 : 400} className={classes.value}>
          {textOf(value) ?? "–"}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
