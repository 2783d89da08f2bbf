import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Job } from "@/api/schema";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { ContentView } from "@/components/results/ContentView";
import { JobIdContext } from "@/components/results/JobIdContext";
import { Result } from "@/components/results/Result";
import { isReference } from "@/components/results/references";
import classes from "./Compare.module.css";
import type { Part } from "./parts";

interface Props {
  jobs: Job[];
  labels: string[];
}

/** One cell for each job that has something to show. */
export function Cells({ jobs, labels, show }: Props & { show: (job: Job, index: number) => ReactNode }) {
  return (
    <div className={classes.cells}>
      {jobs.map((job, index) => {
        const content = show(job, index);
        return (
          content && (
            <figure key={job.id} className={classes.cell} aria-label={labels[index]}>
              <Text component="figcaption" size="xs" c="dimmed" mb={4} truncate title={labels[index]}>
                {labels[index]}
              </Text>
              <ErrorBoundary>{content}</ErrorBoundary>
            </figure>
          )
        );
      })}
    </div>
  );
}

export function SideBySide({ part, ...props }: Props & { part: Part }) {
  const show = (job: Job, index: number) => {
    const content = part.contents[index];
    return (
      content && (
        <JobIdContext value={job.id}>
          <ContentView content={content} name={part.name || "Result"} />
        </JobIdContext>
      )
    );
  };
  return <Cells {...props} show={show} />;
}

/** Results that are artifacts are not read just to be compared. */
export function LargeResults(props: Props) {
  return (
    <Cells {...props} show={(job) => isReference(job.result) && <Result value={job.result} job={job} />} />
  );
}
