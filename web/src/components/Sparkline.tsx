const WIDTH = 120;
const HEIGHT = 32;

/** A small line chart. The label describes it for screen readers. */
export function Sparkline({
  values,
  color,
  label,
}: {
  values: (number | null)[];
  color: string;
  label: string;
}) {
  const points = pointsOf(values);
  const stroke = `var(--mantine-color-${color}-5)`;
  const isDot = points.length === 1;
  const drawn = isDot ? [...points, ...points] : points;
  const line = drawn.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const [first, last] = [points[0], points.at(-1)];
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      width="100%"
      height={HEIGHT}
      role="img"
      aria-label={label}
      style={{ display: "block", overflow: "visible" }}
    >
      {first && last && (
        <>
          <polygon
            points={`${first[0]},${HEIGHT} ${line} ${last[0]},${HEIGHT}`}
            fill={stroke}
            opacity={0.15}
          />
          <polyline
            points={line}
            fill="none"
            stroke={stroke}
            strokeWidth={isDot ? 5 : 1.5}
            strokeLinecap="round"
            vectorEffect="non-scaling-stroke"
          />
        </>
      )}
    </svg>
  );
}

/** Unknown values are left out. */
function pointsOf(values: (number | null)[]): [x: number, y: number][] {
  const max = Math.max(1e-9, ...values.map((value) => value ?? 0));
  return values.flatMap((value, index) =>
    value === null
      ? []
      : [[(index * WIDTH) / Math.max(1, values.length - 1), HEIGHT - 1 - (value / max) * (HEIGHT - 3)]],
  );
}
