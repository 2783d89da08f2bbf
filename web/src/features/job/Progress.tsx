import { Progress as Bar, Group, Text } from "@mantine/core";
import type { Job } from "@/api/schema";
import { fractionOf, percentOf } from "@/components/progress";

/** A progress bar, animated if the total is unknown. */
export function Progress({ job }: { job: Job }) {
  const progress = job.progress;
  if (!progress || job.status !== "running") return null;
  const { current, total, message } = progress;
  const ratio = fractionOf(job);
  return (
    <div>
      <Group justify="space-between" mb={4} wrap="nowrap">
        <Text size="sm" truncate>
          {message || "Working"}
        </Text>
        <Text size="sm" c="dimmed" style={{ fontVariantNumeric: "tabular-nums" }}>
          {[count(current, total), percentOf(ratio)].filter(Boolean).join(" · ")}
        </Text>
      </Group>
      <Bar
        value={ratio === null ? 100 : ratio * 100}
        animated={ratio === null}
        striped={ratio === null}
        aria-label="Progress"
        transitionDuration={200}
      />
    </div>
  );
}

function count(current: number | undefined, total: number | undefined): string {
  if (current === undefined) return "";
  return total === undefined
    ? current.toLocaleString("en")
    : `${current.toLocaleString("en")} / ${total.toLocaleString("en")}`;
}
