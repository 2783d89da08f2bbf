import { Box, Group, Text } from "@mantine/core";
import type { Job } from "@/api/schema";
import { formatDuration } from "@/components/format";
import { Since, useNow } from "@/components/RelativeTime";
import { COLOURS, isOver } from "@/components/state";
import classes from "./StateBar.module.css";
import { type Segment, segmentsOf, sharesOf } from "./segments";

const HOUR_MS = 3_600_000;

/** pending → assigned → running → terminal state: a bar in proportion to their times, and the times in words. */
export function StateBar({ job }: { job: Job }) {
  const segments = segmentsOf(job);
  const shares = sharesOf(segments, useNow(isOver(job) ? HOUR_MS : 1000));
  return (
    <Box role="img" aria-label={`Job is ${job.status}`}>
      <div className={classes.bar}>
        {segments.map((segment, index) => (
          <div
            key={segment.label}
            className={classes.segment}
            data-phase={segment.phase}
            data-state={segment.label}
            style={{ flexGrow: shares[index], background: colourOf(segment) }}
          />
        ))}
      </div>
      <Group gap="xs" justify="space-between" mt={6} wrap="nowrap">
        {segments.map((segment) => (
          <Label key={segment.label} segment={segment} />
        ))}
      </Group>
    </Box>
  );
}

function colourOf({ phase, status }: Segment): string {
  return phase === "ahead"
    ? "var(--mantine-color-default-border)"
    : `var(--mantine-color-${COLOURS[status]}-6)`;
}

function Label({ segment }: { segment: Segment }) {
  const { label, phase, sinceOrMs } = segment;
  const isAhead = phase === "ahead";
  return (
    <Box miw={0}>
      <Text size="xs" c={isAhead ? "dimmed" : undefined} fw={phase === "now" ? 600 : 400} truncate>
        <span className={classes.dot} style={{ background: colourOf(segment) }} /> {label}
      </Text>
      <Text size="xs" c="dimmed" h={18} className={classes.time}>
        {typeof sinceOrMs === "number" ? formatDuration(sinceOrMs) : sinceOrMs && <Since at={sinceOrMs} />}
      </Text>
    </Box>
  );
}
