import { Stack, Title } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import type { Job } from "@/api/schema";
import { contentOf } from "@/components/results/content";
import { isReference } from "@/components/results/references";
import { Files } from "./Files";
import { Lines } from "./Lines";
import { labelsOf } from "./labels";
import { linesOf } from "./lines";
import { partsOf } from "./parts";
import { ResultPart } from "./ResultPart";
import { LargeResults } from "./SideBySide";

/** The values, then single results, then curves in one plot and everything else side by side. */
export function Comparison({ jobs }: { jobs: Job[] }) {
  const labels = useMemo(() => labelsOf(jobs), [jobs]);
  const values = useMemo(() => linesOf(jobs.map(({ data }) => data)), [jobs]);
  const { lines, shown } = useMemo(() => partsOf(jobs.map(resultOf), jobs.map(errorOf)), [jobs]);
  const hasLarge = jobs.some(({ result }) => isReference(result));
  return (
    <Stack gap="lg">
      <Section title="Values">
        <Lines name="Values" lines={values} jobs={jobs} labels={labels} />
      </Section>
      <Section title="Result">
        <Stack gap="md">
          {(lines.length > 0 || (shown.length === 0 && !hasLarge)) && (
            <Lines name="Result" isBrief lines={lines} jobs={jobs} labels={labels} />
          )}
          {shown.map((part) => (
            <ResultPart key={part.name} part={part} jobs={jobs} labels={labels} />
          ))}
          {hasLarge && <LargeResults jobs={jobs} labels={labels} />}
          <Files jobs={jobs} labels={labels} />
        </Stack>
      </Section>
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h5" mb={4}>
        {title}
      </Title>
      {children}
    </section>
  );
}

function resultOf({ result }: Job) {
  return result === null || isReference(result) ? null : contentOf(result);
}

function errorOf({ error }: Job) {
  return error ? { error: error.type, message: error.message } : {};
}
