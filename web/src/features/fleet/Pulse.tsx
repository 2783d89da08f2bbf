import { Box, Flex, Paper, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Job } from "@/api/schema";
import { useNow } from "@/components/Ticking";
import { duration } from "@/components/words";
import { pulseOf } from "./pulse";
import { Sparkline } from "./Sparkline";

export const PULSE_JOBS = 200;

/** How the queue does: what waits, what gets done, how long it takes to begin. */
export function Pulse({ jobs }: { jobs: Job[] }) {
  const pulse = pulseOf(jobs, useNow(5000), jobs.length < PULSE_JOBS);
  const window = duration(Math.round(pulse.minutes) * 60_000);
  const lately = `in the last ${window}`;
  const rate = pulse.finishedPerMinute.toFixed(pulse.finishedPerMinute < 10 ? 1 : 0);
  const wait = pulse.medianWaitMs === null ? "–" : duration(pulse.medianWaitMs);
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      <Tile title="Waiting" value={String(pulse.depthNow)} note="now">
        <Sparkline
          values={pulse.depth}
          color="gray"
          label={`Jobs waiting ${lately}: now ${pulse.depthNow}, at most ${Math.max(...pulse.depth)}`}
        />
      </Tile>
      <Tile title="Finished" value={rate} note={`per minute, last ${window}`}>
        <Sparkline
          values={pulse.perMinute}
          color="green"
          label={`Jobs finished ${lately}: ${rate} per minute`}
        />
      </Tile>
      <Tile title="Wait" value={wait} note={`median, last ${window}`}>
        <Sparkline
          values={pulse.waitMs}
          color="blue"
          label={`Wait before a job begins ${lately}: median ${wait}`}
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
