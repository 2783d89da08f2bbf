import { Alert, Paper, SegmentedControl, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "@/api/queries";
import type { Overview as Figures } from "@/api/schema";
import { formatBytes, formatDuration, pluralize } from "@/components/format";
import { Sparkline } from "@/components/Sparkline";
import { failureRate, percent, ratesOf } from "./activity";
import { LargestRooms } from "./LargestRooms";
import { Page } from "./Page";
import { ToolTable } from "./ToolTable";

const PERIODS = [
  { value: "1", label: "1 hour" },
  { value: "6", label: "6 hours" },
  { value: "24", label: "1 day" },
];

/** What happens on the whole server now, and in the last hours. */
export function Overview() {
  const [hours, setHours] = useState("6");
  const query = useQuery(queries.overview(Number(hours)));
  return (
    <Page
      title="Overview"
      query={query}
      actions={
        <SegmentedControl
          size="xs"
          data={PERIODS}
          value={hours}
          onChange={setHours}
          aria-label="How far back"
        />
      }
    >
      {query.data && (
        <Stack gap="lg">
          {!query.data.store_up && (
            <Alert color="red" role="alert">
              The store does not respond. Jobs go on; nothing new is accepted.
            </Alert>
          )}
          <Tiles figures={query.data} />
          <ToolTable extensions={query.data.extensions} />
          <LargestRooms />
        </Stack>
      )}
    </Page>
  );
}

function Tiles({ figures }: { figures: Figures }) {
  const { points } = figures;
  const last = points.findLast(({ wait_time_ms }) => wait_time_ms);
  const rates = ratesOf(points);
  const failures = points.map(({ completed, failed }) =>
    completed + failed ? failed / (completed + failed) : null,
  );
  const wait = points.map(({ wait_time_ms }) => wait_time_ms?.p90 ?? null);
  const run = points.map(({ execution_time_ms }) => execution_time_ms?.p90 ?? null);
  const workers = Object.values(figures.workers).reduce((total, count) => total + count, 0);
  const rate = rates.at(-1) ?? 0;
  const pending = points.map((point) => point.pending);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
      <Tile
        title="Pending"
        value={String(points.at(-1)?.pending ?? "–")}
        note={`${figures.unfinished_jobs ?? "?"} unfinished`}
        values={pending}
        color="gray"
      />
      <Tile
        title="Ended"
        value={rate.toFixed(rate < 10 ? 1 : 0)}
        note="per minute"
        values={rates}
        color="green"
      />
      <Tile
        title="Failed"
        value={percent(failureRate(points))}
        note="of the jobs that ended"
        values={failures}
        color="red"
      />
      <Tile
        title="Wait"
        value={duration(last?.wait_time_ms?.p50)}
        note={`median; 90 % within ${duration(last?.wait_time_ms?.p90)}`}
        values={wait}
        color="blue"
      />
      <Tile
        title="Run"
        value={duration(last?.execution_time_ms?.p50)}
        note={`median; 90 % within ${duration(last?.execution_time_ms?.p90)}`}
        values={run}
        color="grape"
      />
      <Tile
        title="Stored"
        value={figures.bytes === null ? "–" : formatBytes(figures.bytes)}
        note={[
          pluralize(figures.files ?? 0, "file"),
          pluralize(workers, "worker"),
          pluralize(figures.sockets, "socket"),
          pluralize(figures.streams, "stream"),
        ].join(" · ")}
      />
    </SimpleGrid>
  );
}

interface TileProps {
  title: string;
  value: string;
  note: string;
  values?: (number | null)[];
  color?: string;
}

function Tile({ title, value, note, values, color = "gray" }: TileProps) {
  return (
    <Paper withBorder p="sm" component="section" aria-label={title}>
      <Text size="xs" fw={600} c="dimmed">
        {title}
      </Text>
      <Text fw={600} fz="xl" style={{ fontVariantNumeric: "tabular-nums" }}>
        {value}
      </Text>
      <Text size="xs" c="dimmed" mb={6}>
        {note}
      </Text>
      {values && <Sparkline values={values} color={color} label={`${title} over time: now ${value}`} />}
    </Paper>
  );
}

function duration(ms: number | undefined): string {
  return ms === undefined ? "–" : formatDuration(ms);
}
