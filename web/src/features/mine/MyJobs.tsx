import { Popover, UnstyledButton } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useJobEvents } from "@/api/LiveProvider";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { isOver } from "@/components/state";
import { setTabStatus } from "@/components/tabTitle";
import { announce } from "./announce";
import { iconOf, setIcon } from "./favicon";
import { JobMenu } from "./JobMenu";
import classes from "./MyJobs.module.css";
import { Ring } from "./Ring";
import { countText, markOf, meanFraction, tabStatus } from "./tabStatus";
import { useEnded, useUnseen } from "./useEnded";
import { isNotifying } from "./useNotifying";

const MAX_WATCHED = 6; // each one sends its progress and its log

/** My jobs in all rooms: a button that lists them, the title and icon of the tab, and notifications. */
export default function MyJobs({ me }: { me: string }) {
  const jobs = useMyJobs(me);
  const [isOpen, setOpen] = useState(false);
  const [unseen, addUnseen] = useUnseen();
  const [, go] = useLocation();
  useEnded(jobs, (ended) => {
    addUnseen(ended);
    const isLooking = !document.hidden && document.hasFocus();
    if (!isLooking && isNotifying()) announce(ended, (path) => go(`~${path}`));
  });
  const active = jobs.filter((job) => !isOver(job));
  useTab(active, unseen);
  if (jobs.length === 0) return null;
  const label = countText(active) || "all ended";
  return (
    <>
      {watched(jobs).map(({ id }) => (
        <Watch key={id} id={id} />
      ))}
      <Popover
        opened={isOpen}
        onChange={setOpen}
        position="bottom-end"
        width={320}
        withArrow
        shadow="md"
        trapFocus
        returnFocus
      >
        <Popover.Target>
          <UnstyledButton
            className={classes.button}
            aria-label={`Your jobs: ${label}`}
            title={`Your jobs: ${label}`}
            onClick={() => setOpen(!isOpen)}
          >
            <Ring fraction={active.length ? meanFraction(active) : 1} isDone={active.length === 0}>
              {active.length || "✓"}
            </Ring>
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown p="sm" aria-label="Your jobs">
          <JobMenu jobs={jobs} close={() => setOpen(false)} />
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

function watched(jobs: Job[]): Job[] {
  return jobs.filter(({ status }) => status === "running").slice(0, MAX_WATCHED);
}

function Watch({ id }: { id: string }) {
  useJobEvents(id);
  return null;
}

/** The list of my jobs; those that are watched have their progress. */
function useMyJobs(me: string): Job[] {
  const { data: listed = [] } = useQuery(queries.mine(me));
  const live = useQueries({ queries: watched(listed).map(({ id }) => queries.job(id)) });
  const known = new Map(live.flatMap(({ data }) => (data ? [[data.id, data] as const] : [])));
  return listed.map((job) => {
    const progress = known.get(job.id)?.progress;
    return progress ? { ...job, progress } : job;
  });
}

function useTab(active: Job[], unseen: Job[]): void {
  const title = tabStatus(active, unseen);
  const icon = iconOf(active.length ? (meanFraction(active) ?? 0) : null, markOf(unseen));
  useEffect(() => setTabStatus(title), [title]);
  useEffect(() => setIcon(icon), [icon]);
  useEffect(
    () => () => {
      setTabStatus("");
      setIcon(iconOf(null, null));
    },
    [],
  );
}
