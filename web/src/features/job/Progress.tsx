import { Progress as Bar, Group, Text } from "@mantine/core";
import type { Job } from "@/api/schema";

/** How far it is; without a known end, only that it moves. */
export function Progress({ job }: { job: Job }) {
  const progress = job.progress;
  if (!progress || job.status !== "running") return null;
  const { fraction, current, total, message } = progress;
  const share = fraction ?? (current !== undefined && total ? current / total : null);
  return (
    <div>
      <Group justify="space-between" mb={4} wrap="nowrap">
        <Text size="sm" truncate>
          {message || "Working"}
        </Text>
        <Text size="sm" c="dimmed" style={{ fontVariantNumeric: "tabular-nums" }}>
          {[count(current, total), percent(share)].filter(Boolean).join(" · ")}
        </Text>
      </Group>
      <Bar
        value={share === null ? 100 : share * 100}
        animated={share === null}
        striped={share === null}
        aria-label="Progress"
        transitionDuration={200}
      />
    </div>
  );
}

function percent(share: number | null): string {
  return share === null ? "" : `${Math.floor(share * 100)} %`;
}

function count(current: number | undefined, total: number | undefined): string {
  if (current === undefined) return "";
  return total === undefined
    ? current.toLocaleString("en")
    : `${current.toLocaleString("en")} / ${total.toLocaleString("en")}`;
}
