import { Text } from "@mantine/core";
import { lazy, Suspense, useMemo } from "react";
import type { Job } from "@/api/schema";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { Loading } from "@/components/Loading";
import { overlaid } from "./overlay";
import type { Part } from "./parts";
import { SideBySide } from "./SideBySide";

const Plot = lazy(() => import("@/components/results/Plot"));

interface Props {
  part: Part;
  jobs: Job[];
  labels: string[];
}

/** Curves in one plot; anything else side by side. */
export function ResultPart({ part, jobs, labels }: Props) {
  const figure = useMemo(() => overlaid(part, labels), [part, labels]);
  return (
    <div>
      {part.name && (
        <Text size="sm" fw={550} mb={4}>
          {part.name}
        </Text>
      )}
      <ErrorBoundary>
        {figure ? (
          <Suspense fallback={<Loading />}>
            <Plot plot={figure} />
          </Suspense>
        ) : (
          <SideBySide part={part} jobs={jobs} labels={labels} />
        )}
      </ErrorBoundary>
    </div>
  );
}
