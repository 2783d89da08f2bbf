import { Stack } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Extension, Job } from "@/api/schema";
import { JobCard } from "./JobCard";

interface Props {
  jobs: Job[];
  /** The job that is unfolded until its reader folds it. */
  current?: string;
  tool?: Extension;
  actions: (job: Job) => ReactNode;
}

/** Jobs as folded cards, each alive on its own. */
export function JobCards({ jobs, current, tool, actions }: Props) {
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = ({ id }: Job) => toggled.get(id) ?? id === current;
  return (
    <Stack component="ul" gap={6} p={0} m={0} style={{ listStyle: "none" }} aria-label="Your last jobs">
      {jobs.map((job) => (
        <JobCard
          key={job.id}
          listed={job}
          tool={tool}
          isOpen={isOpen(job)}
          toggle={() => setToggled(new Map(toggled).set(job.id, !isOpen(job)))}
          actions={actions}
        />
      ))}
    </Stack>
  );
}
