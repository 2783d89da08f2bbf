import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo } from "react";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { pluralize } from "@/components/format";
import { Loading } from "@/components/Loading";
import { itemsOf } from "./itemLines";

const ItemsView = lazy(() => import("@/components/results/ItemsView"));

/** What the job has yielded, while it runs and if it ends without a result. */
export function Items({ job }: { job: Job }) {
  const { data: lines = [] } = useQuery({ ...queries.logs(job.id), enabled: job.attempt > 0 });
  const items = useMemo(() => itemsOf(lines, job.attempt), [lines, job.attempt]);
  if (items.length === 0) return null;
  return (
    <section aria-label="Items" style={{ minWidth: 0 }}>
      <Text size="xs" c="dimmed" mb={4}>
        {`${pluralize(items.length, "item")} so far`}
      </Text>
      <Suspense fallback={<Loading />}>
        <ItemsView items={items} jobId={job.id} />
      </Suspense>
    </section>
  );
}
