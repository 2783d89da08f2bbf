import { Group as Row, Select, Skeleton } from "@mantine/core";
import { lazy, Suspense, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { Job } from "@/api/schema";
import { axesOf, figureOf, numericOf, plainParts } from "./columns";

const Plot = lazy(() => import("@/components/results/Plot"));

/** A number of the results over a parameter that varies. A click on a point opens its job. */
export function Chart({
  jobs,
  parameters,
  results,
}: {
  jobs: Job[];
  parameters: string[];
  results: string[];
}) {
  const [, go] = useLocation();
  const [wanted, want] = useState<{ x?: string; y?: string }>({});
  const xs = useMemo(() => axesOf(parameters, jobs), [parameters, jobs]);
  const ys = useMemo(
    () =>
      numericOf(
        results,
        jobs.map((job) => plainParts(job.result)),
      ),
    [results, jobs],
  );
  const x =
    xs.find((name) => name === wanted.x) ??
    numericOf(
      xs,
      jobs.map(({ data }) => data),
    )[0] ??
    xs[0];
  const y = ys.find((name) => name === wanted.y) ?? ys[0];
  const plot = useMemo(() => (x && y ? figureOf(jobs, x, y, parameters) : null), [jobs, x, y, parameters]);
  if (!plot) return null;
  return (
    <section aria-label="Chart">
      <Row gap="xs" mb="xs">
        <Select
          label="Result"
          data={ys}
          value={y}
          allowDeselect={false}
          onChange={(name) => want({ ...wanted, y: name ?? undefined })}
        />
        <Select
          label="over"
          data={xs}
          value={x}
          allowDeselect={false}
          onChange={(name) => want({ ...wanted, x: name ?? undefined })}
        />
      </Row>
      <Suspense fallback={<Skeleton h={300} />}>
        <Plot plot={plot} height={300} onPoint={(id) => typeof id === "string" && go(`/jobs/${id}`)} />
      </Suspense>
    </section>
  );
}
