import { Text } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { Job } from "@/api/schema";
import { Loading } from "@/components/Loading";

const ResultView = lazy(() => import("./ResultView"));

/** The return value of `run()`. With its job, contents that are artifacts are shown too. */
export function Result({ value, job }: { value: unknown; job?: Job }) {
  if (value === null)
    return (
      <Text size="sm" c="dimmed">
        No return value.
      </Text>
    );
  return (
    <section aria-label="Result" style={{ minWidth: 0 }}>
      <Suspense fallback={<Loading />}>
        <ResultView value={value} job={job} />
      </Suspense>
    </section>
  );
}
