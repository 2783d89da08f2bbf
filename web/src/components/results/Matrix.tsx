import { Group, Table, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { formatNumber } from "./numbers";
import classes from "./Results.module.css";

const GRID_ROWS = 12;
const GRID_COLUMNS = 8;
const MAX_SIDE = 2048;
// Viridis, which is readable for people who see colours differently.
const COLOURS = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 74, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [110, 206, 88],
  [181, 222, 43],
  [253, 231, 37],
] as const;

/** A small matrix as a grid of numbers, a larger one as a heatmap. */
export function Matrix({ rows, name }: { rows: number[][]; name: string }) {
  const columns = rows[0]?.length ?? 0;
  return rows.length <= GRID_ROWS && columns <= GRID_COLUMNS ? (
    <Grid rows={rows} name={name} />
  ) : (
    <Heatmap rows={rows} name={name} />
  );
}

function Grid({ rows, name }: { rows: number[][]; name: string }) {
  return (
    <Table.ScrollContainer minWidth={(rows[0]?.length ?? 0) * 60} type="native">
      <Table withTableBorder withColumnBorders verticalSpacing={4} fz="sm" w="auto" aria-label={name}>
        <Table.Tbody>
          {rows.map((row, y) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: cells have no ids
            <Table.Tr key={y}>
              {row.map((value, x) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no ids
                <Table.Td key={x} className={classes.number} title={String(value)}>
                  {formatNumber(value)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Heatmap({ rows, name }: { rows: number[][]; name: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [place, setPlace] = useState<[number, number] | null>(null);
  const [height, width] = [rows.length, rows[0]?.length ?? 0];
  const [low, high] = rangeOf(rows);
  useEffect(() => {
    if (canvas.current) draw(canvas.current, rows, low, high);
  }, [rows, low, high]);
  const point = (event: React.PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left) / box.width) * width);
    const y = Math.floor(((event.clientY - box.top) / box.height) * height);
    setPlace([Math.min(Math.max(y, 0), height - 1), Math.min(Math.max(x, 0), width - 1)]);
  };
  const value = place && rows[place[0]]?.[place[1]];
  return (
    <div className={classes.figure}>
      <canvas
        ref={canvas}
        className={classes.canvas}
        style={{ aspectRatio: `${Math.min(Math.max(width / height, 0.5), 4)}` }}
        role="img"
        aria-label={`Heatmap of ${name}, ${height} × ${width}, from ${formatNumber(low)} to ${formatNumber(high)}`}
        onPointerMove={point}
        onPointerLeave={() => setPlace(null)}
      />
      <Group gap={6} mt={6} wrap="nowrap" className={classes.legend} maw="32rem">
        <Text size="xs">{formatNumber(low)}</Text>
        <div style={{ flex: 1, height: 8, borderRadius: 4, background: gradient() }} />
        <Text size="xs">{formatNumber(high)}</Text>
      </Group>
      <Text size="xs" c="dimmed" h={20}>
        {place && value != null
          ? `row ${place[0]}, column ${place[1]}: ${formatNumber(value)}`
          : `${height} × ${width}`}
      </Text>
    </div>
  );
}

function gradient(): string {
  return `linear-gradient(to right, ${COLOURS.map((each) => `rgb(${each.join(" ")})`).join(", ")})`;
}

function rangeOf(rows: number[][]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows)
    for (const value of row)
      if (Number.isFinite(value)) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
  return low <= high ? [low, high] : [0, 0];
}

/** One pixel for each value. Values that are not finite stay transparent. */
function draw(canvas: HTMLCanvasElement, rows: number[][], low: number, high: number): void {
  const step = Math.ceil(Math.max(rows.length, rows[0]?.length ?? 0) / MAX_SIDE);
  const [height, width] = [Math.ceil(rows.length / step), Math.ceil((rows[0]?.length ?? 0) / step)];
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) return;
  const image = context.createImageData(width, height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const value = rows[y * step]?.[x * step] ?? Number.NaN;
      if (!Number.isFinite(value)) continue;
      image.data.set(
        [...colourOf(high > low ? (value - low) / (high - low) : 0.5), 255],
        (y * width + x) * 4,
      );
    }
  context.putImageData(image, 0, 0);
}

function colourOf(fraction: number): number[] {
  const place = fraction * (COLOURS.length - 1);
  const index = Math.min(Math.floor(place), COLOURS.length - 2);
  const [from, to] = [COLOURS[index] ?? COLOURS[0], COLOURS[index + 1] ?? COLOURS[0]];
  return from.map((each, channel) => each + ((to[channel] ?? 0) - each) * (place - index));
}
