import { Group, Text } from "@mantine/core";
import { curveOf } from "./curveOf";

const WIDTH = 120;
const HEIGHT = 24;

/** A small line of a value over the frames, with its least and largest value. */
export function Curve({ values, label }: { values: Float64Array; label: string }) {
  const { path, min, max } = curveOf(values, WIDTH, HEIGHT);
  if (!path) return null;
  const range = min === max ? format(min) : `${format(min)} to ${format(max)}`;
  return (
    <Group gap="xs" wrap="nowrap">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        width={WIDTH}
        height={HEIGHT}
        role="img"
        aria-label={`${label}: ${range}`}
        style={{ display: "block", flexShrink: 0 }}
      >
        <path d={path} fill="none" stroke="var(--mantine-primary-color-filled)" strokeWidth={1.5} />
      </svg>
      <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }} aria-hidden>
        {range}
      </Text>
    </Group>
  );
}

function format(value: number): string {
  return String(Number(value.toPrecision(4)));
}
