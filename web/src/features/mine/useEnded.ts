import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { isOver } from "@/components/state";

const COLLECT_MS = 300;
const MAX_READS = 12;

/** Calls back with jobs that ended since they were listed, also if the page was offline then. */
export function useEnded(jobs: Job[], onEnded: (jobs: Job[]) => void): void {
  const client = useQueryClient();
  const unfinished = useRef(new Set<string>());
  const collected = useRef<string[]>([]);
  const latest = useRef(onEnded);
  latest.current = onEnded;
  useEffect(() => {
    const now = new Set(jobs.filter((job) => !isOver(job)).map(({ id }) => id));
    const gone = [...unfinished.current].filter((id) => !now.has(id));
    unfinished.current = now;
    if (gone.length === 0) return;
    if (collected.current.length === 0)
      setTimeout(async () => {
        const ids = collected.current.splice(0);
        const found = await readJobs(client, ids);
        if (found.length > 0) latest.current(found);
      }, COLLECT_MS);
    collected.current.push(...gone);
  }, [jobs, client]);
}

async function readJobs(client: QueryClient, ids: string[]): Promise<Job[]> {
  const read = (id: string) => client.fetchQuery({ ...queries.job(id), staleTime: 0 }).catch(() => null);
  const jobs = await Promise.all(ids.slice(0, MAX_READS).map(read));
  return jobs.filter((job) => job !== null && isOver(job)) as Job[];
}

/** Adds to a list while the tab is hidden, and empties it when somebody looks. */
export function useUnseen(): [Job[], (jobs: Job[]) => void] {
  const [unseen, setUnseen] = useState<Job[]>([]);
  useEffect(() => {
    const look = () => {
      if (!document.hidden) setUnseen([]);
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  const add = (jobs: Job[]) => {
    if (document.hidden) setUnseen((before) => [...before, ...jobs]);
  };
  return [unseen, add];
}
