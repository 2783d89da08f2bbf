import { SegmentedControl, Stack } from "@mantine/core";
import { lazy, useMemo, useState } from "react";
import type { Content, Row, Series } from "./content";
import { DataTable } from "./DataTable";

const Plot = lazy(() => import("./Plot"));
const MAX_POINTS = 5000;
type Line = Extract<Content, { kind: "line" }>;

/** Numbers over their index or over an axis; a switch shows them as a table. */
export function Lines({ content, name }: { content: Line; name: string }) {
  const [view, setView] = useState("Plot");
  const plot = useMemo(() => figureOf(content), [content]);
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        data={["Plot", "Table"]}
        value={view}
        onChange={setView}
        aria-label={`View of ${name}`}
        style={{ alignSelf: "flex-start" }}
      />
      {view === "Plot" ? <Plot plot={plot} /> : <DataTable rows={rowsOf(content)} name={name} />}
    </Stack>
  );
}

function rowsOf({ x, xName, series }: Line): Row[] {
  const length = series[0]?.y.length ?? 0;
  return Array.from({ length }, (_, index) => ({
    [xName]: x ? x[index] : index,
    ...Object.fromEntries(series.map(({ name, y }) => [name, y[index]])),
  }));
}

function figureOf({ x, xName, series }: Line) {
  const single = series.length === 1 ? (series[0]?.name ?? "") : "";
  return {
    data: series.map((each) => ({
      type: "scatter",
      mode: modeOf(each),
      name: each.name,
      ...pointsOf(each, x),
    })),
    layout: {
      xaxis: { title: { text: xName } },
      yaxis: { title: { text: single } },
      showlegend: series.length > 1,
      legend: { orientation: "h", y: 1.12 },
    },
  };
}

function modeOf({ y }: Series): string {
  return y.length <= 60 ? "lines+markers" : "lines";
}

/** Of many points, the lowest and highest of each bucket: the curve looks the same. */
export function pointsOf({ y }: Series, x: number[] | null): { x: (number | null)[]; y: (number | null)[] } {
  const at = (index: number) => (x ? (x[index] ?? null) : index);
  const indices = y.length <= MAX_POINTS ? y.map((_, index) => index) : extremesOf(y);
  const finite = (value: number | null | undefined) => (Number.isFinite(value) ? (value as number) : null);
  return { x: indices.map((index) => finite(at(index))), y: indices.map((index) => finite(y[index])) };
}

function extremesOf(y: number[]): number[] {
  const size = Math.ceil(y.length / (MAX_POINTS / 2));
  const kept: number[] = [];
  for (let start = 0; start < y.length; start += size) {
    let [low, high] = [start, start];
    for (let index = start; index < Math.min(start + size, y.length); index++) {
      if ((y[index] ?? 0) < (y[low] ?? 0)) low = index;
      if ((y[index] ?? 0) > (y[high] ?? 0)) high = index;
    }
    kept.push(...(low === high ? [low] : [low, high].sort((a, b) => a - b)));
  }
  return kept;
}
