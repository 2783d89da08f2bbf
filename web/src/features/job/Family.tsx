import { Anchor, Text } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Group, Job } from "@/api/schema";
import { Collapsible } from "@/components/Collapsible";
import { pluralize } from "@/components/format";
import { StateBadge } from "@/components/StateBadge";
import { titleOf } from "@/components/tools";
import classes from "./Family.module.css";

const MAX_EACH = 12;
const NO_ARROWS = { before: [], after: [] };

/** What was before this job and what comes after it: its parent and children, and the arrows of it. */
export function Family({ job }: { job: Job }) {
  const { data: children = [] } = useQuery(queries.children(job.id));
  const { data: arrows = NO_ARROWS } = useQuery(queries.arrows(job.id));
  const isGroup = (id: string) => id.startsWith("grp_");
  const parents = useJobs(job.parent ? [job.parent] : []);
  const before = useJobs(arrows.before.filter((id) => !isGroup(id)));
  const groups = useGroups(job.room, arrows.before.filter(isGroup));
  const after = useJobs(arrows.after);
  const count = (job.parent ? 1 : 0) + children.length + arrows.before.length + arrows.after.length;
  if (count === 0) return null;
  return (
    <Collapsible title={`Related jobs (${count})`} isOpen>
      <ul className={classes.family} aria-label="Related jobs">
        {parents.map((each) => (
          <Relative key={each.id} job={each} relation="submitted this job" column="before" />
        ))}
        {before.map((each) => (
          <Relative key={each.id} job={each} relation="before this job" column="before" />
        ))}
        {groups.map((each) => (
          <RelatedGroup key={each.id} group={each} />
        ))}
        <li className={classes.relative} data-column="self" aria-current="true">
          <StateBadge status={job.status} />
          <Text size="sm" fw={600}>
            {job.annotation?.name || titleOf(job.name)}
          </Text>
          <Text size="xs" c="dimmed">
            this job
          </Text>
        </li>
        {after.map((each) => (
          <Relative key={each.id} job={each} relation="after this job" column="after" />
        ))}
        {children.slice(0, MAX_EACH).map((each) => (
          <Relative key={each.id} job={each} relation="submitted by this job" column="after" />
        ))}
        <More hidden={arrows.before.length - before.length - groups.length} column="before" />
        <More
          hidden={arrows.after.length - after.length + Math.max(children.length - MAX_EACH, 0)}
          column="after"
        />
      </ul>
    </Collapsible>
  );
}

function useJobs(ids: string[]): Job[] {
  return useQueries({
    queries: ids.slice(0, MAX_EACH).map((id) => queries.job(id)),
    combine: (found) => found.flatMap(({ data }) => (data ? [data] : [])),
  });
}

function useGroups(room: string, ids: string[]): Group[] {
  return useQueries({
    queries: ids.slice(0, MAX_EACH).map((id) => queries.group(room, id)),
    combine: (found) => found.flatMap(({ data }) => (data ? [data] : [])),
  });
}

type Column = "before" | "after";

function Relative({ job, relation, column }: { job: Job; relation: string; column: Column }) {
  return (
    <li className={classes.relative} data-column={column}>
      <StateBadge status={job.status} />
      <Anchor component={Link} href={`/jobs/${job.id}`} size="sm">
        {job.annotation?.name || titleOf(job.name)}
      </Anchor>
      <Text size="xs" c="dimmed">
        {relation}
      </Text>
    </li>
  );
}

function RelatedGroup({ group }: { group: Group }) {
  return (
    <li className={classes.relative} data-column="before">
      <Anchor component={Link} href={`/groups/${group.id}`} size="sm">
        {group.title || "Group of jobs"}
      </Anchor>
      <Text size="xs" c="dimmed">
        {pluralize(group.total, "job")} before this job, {Math.floor(group.progress * 100)} % ended
      </Text>
    </li>
  );
}

function More({ hidden, column }: { hidden: number; column: Column }) {
  if (hidden <= 0) return null;
  return (
    <li className={classes.relative} data-column={column}>
      <Text size="xs" c="dimmed">
        and {pluralize(hidden, "other")}
      </Text>
    </li>
  );
}
