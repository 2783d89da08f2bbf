import { Box, Group, Text } from "@mantine/core";
import type { Job } from "@/api/schema";
import { formatDuration } from "@/components/format";
import { Since } from "@/components/RelativeTime";
import { COLOURS } from "@/components/state";
import classes from "./StateBar.module.css";
import { type Segment, segmentsOf } from "./segments";

/** pending → assigned → running → terminal state, each with its time. */
export function StateBar({ job }: { job: Job }) {
  const segments = segmentsOf(job);
  return (
    <Group gap={4} wrap="nowrap" role="img" aria-label={`Job is ${job.status}`}>
      {segments.map((segment) => (
        <Step key={segment.label} segment={segment} />
      ))}
    </Group>
  );
}

function Step({ segment: { label, status, phase, sinceOrMs } }: { segment: Segment }) {
  const colour =
    phase === "ahead" ? "var(--mantine-color-default-border)" : `var(--mantine-color-${COLOURS[status]}-6)`;
  return (
    <Box flex={1} miw={0}>
      <Box className={classes.segment} data-phase={phase} bg={colour} />
      <Text
        size="xs"
        mt={4}
        c={phase === "ahead" ? "dimmed" : undefined}
        fw={phase === "now" ? 600 : 400}
        truncate
      >
        {label}
      </Text>
      <Text size="xs" c="dimmed" h={18} className={classes.time}>
        {typeof sinceOrMs === "number" ? formatDuration(sinceOrMs) : sinceOrMs && <Since at={sinceOrMs} />}
      </Text>
    </Box>
  );
}
