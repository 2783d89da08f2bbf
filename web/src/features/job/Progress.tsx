import { Progress as Bar, Group, Text } from "@mantine/core";
import type { Job } from "@/api/schema";

/** A progress bar, animated if the total is unknown. */
export function Progress({ job }: { job: Job }) {
  const progress = job.progress;
  if (!progress || job.status !== "running") return null;
  const { fraction, current, total, message } = progress;
  const ratio = fraction ?? (current !== undefined && total ? current / total : null);
  return (
    <div>
      <Group justify="space-between" mb={4} wrap="nowrap">
        <Text size="sm" truncate>
          {message || "Working"}
        </Text>
        <Text size="sm" c="dimmed" style={{ fontVariantNumeric: "tabular-nums" }}>
          {[count(current, total), percent(ratio)].filter(Boolean).join(" · ")}
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

function percent(ratio: number | null): string {
  return ratio === null ? "" : `${Math.floor(ratio * 100)} %`;
}

function count(current: number | undefined, total: number | undefined): string {
  if (current === undefined) return "";
  return total === undefined
    ? current.toLocaleString("en")
    : `${current.toLocaleString("en")} / ${total.toLocaleString("en")}`;
}
