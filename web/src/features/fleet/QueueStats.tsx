import { Box, Flex, Paper, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Job } from "@/api/schema";
import { formatDuration } from "@/components/format";
import { useNow } from "@/components/RelativeTime";
import { Sparkline } from "@/components/Sparkline";
import { queueStatsOf } from "./queueStats";

export const STATS_JOBS = 200;

/** Queue length, throughput and waiting time of the recent past. */
export function QueueStats({ jobs }: { jobs: Job[] }) {
  const stats = queueStatsOf(jobs, useNow(5000), jobs.length < STATS_JOBS);
  const window = formatDuration(Math.round(stats.minutes) * 60_000);
  const period = `in the last ${window}`;
  const rate = stats.finishedPerMinute.toFixed(stats.finishedPerMinute < 10 ? 1 : 0);
  const wait = stats.medianWaitMs === null ? "–" : formatDuration(stats.medianWaitMs);
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      <Tile title="Pending" value={String(stats.depthNow)} note="now">
        <Sparkline
          values={stats.depth}
          color="gray"
          label={`Pending jobs ${period}: now ${stats.depthNow}, at most ${Math.max(...stats.depth)}`}
        />
      </Tile>
      <Tile title="Finished" value={rate} note={`per minute, last ${window}`}>
        <Sparkline
          values={stats.perMinute}
          color="green"
          label={`Jobs finished ${period}: ${rate} per minute`}
        />
      </Tile>
      <Tile title="Wait" value={wait} note={`median, last ${window}`}>
        <Sparkline
          values={stats.waitMs}
          color="blue"
          label={`Wait before a job starts ${period}: median ${wait}`}
        />
      </Tile>
    </SimpleGrid>
  );
}

interface TileProps {
  title: string;
  value: string;
  note: string;
  children: ReactNode;
}

function Tile({ title, value, note, children }: TileProps) {
  return (
    <Paper withBorder p="sm" component="section" aria-label={title}>
      <Flex direction={{ base: "row", xs: "column" }} gap="xs" justify="space-between" align="stretch">
        <Box miw={{ base: 150, xs: 0 }}>
          <Text size="xs" fw={600} c="dimmed">
            {title}
          </Text>
          <Text fw={600} fz="xl" style={{ fontVariantNumeric: "tabular-nums" }}>
            {value}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {note}
          </Text>
        </Box>
        <Box flex={{ base: 1, xs: "none" }} style={{ alignSelf: "stretch" }}>
          {children}
        </Box>
      </Flex>
    </Paper>
  );
}
