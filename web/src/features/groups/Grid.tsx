import { memo } from "react";
import { Link } from "wouter";
import type { Job } from "@/api/schema";
import { inWords } from "./columns";
import classes from "./Groups.module.css";

const LARGE_CELLS = 300;

/** One cell for each job, in the colour of its state. */
export function Grid({ jobs, parameters }: { jobs: Job[]; parameters: string[] }) {
  if (jobs.length === 0) return null;
  return (
    <ul className={classes.grid} aria-label="Jobs" data-small={jobs.length > LARGE_CELLS || undefined}>
      {jobs.map((job, index) => (
        <Cell
          key={job.id}
          id={job.id}
          status={job.status}
          label={`${index + 1}: ${job.status}${parameters.length ? `, ${inWords(job.data, parameters)}` : ""}`}
        />
      ))}
    </ul>
  );
}

/** Memoized: most events are about a few jobs of many. */
const Cell = memo(function Cell({ id, status, label }: { id: string; status: string; label: string }) {
  return (
    <li>
      <Link
        href={`/jobs/${id}`}
        className={classes.cell}
        data-state={status}
        title={label}
        aria-label={label}
      />
    </li>
  );
});
