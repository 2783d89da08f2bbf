import { Box, Text, useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { Loading } from "@/components/Loading";
import type { Figure } from "./content";
import { limited } from "./plotLimits";
import { withMarks } from "./plotMarks";
import { themed } from "./plotTheme";

type Plotly = typeof import("plotly.js-basic-dist-min").default;

const BASIC = new Set(["scatter", "bar", "pie"]);
const CONFIG = { displaylogo: false, responsive: true };

/** Lines, bars and pies need a small build of Plotly; the full one is loaded for everything else. */
async function load(plot: Figure): Promise<Plotly> {
  const types = plot.data.map((trace) => (trace as { type?: unknown } | null)?.type ?? "scatter");
  const isBasic = types.every((type) => BASIC.has(String(type)));
  return isBasic
    ? (await import("plotly.js-basic-dist-min")).default
    : (await import("plotly.js-strict-dist-min")).default;
}

interface Props {
  plot: Figure;
  /** The frame whose points are marked, by the first number of their `customdata`. */
  marked?: number;
  /** Gets the `customdata` of a point that was clicked. */
  onPoint?: (customdata: unknown) => void;
  height?: number;
  /** Its name, for those who do not see it. */
  label?: string;
}

export default function Plot({ plot, marked, onPoint, height = heightOf(plot), label = "Plot" }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme("light");
  const [state, setState] = useState<"loading" | "drawn" | "failed">("loading");
  useEffect(() => {
    let isCurrent = true;
    const draw = async () => {
      const plotly = await load(plot);
      if (!isCurrent || !box.current) return;
      const { data, layout } = themed(withMarks(limited(plot), marked), scheme);
      await plotly.react(box.current, data, layout, CONFIG);
      if (isCurrent) setState("drawn");
    };
    draw().catch(() => isCurrent && setState("failed"));
    return () => {
      isCurrent = false;
    };
  }, [plot, scheme, marked]);
  useEffect(() => {
    const node = box.current as PlotlyElement | null;
    if (state !== "drawn" || !node || !onPoint) return;
    node.on("plotly_click", ({ points }) => onPoint(points[0]?.customdata));
    return () => node.removeAllListeners("plotly_click");
  }, [state, onPoint]);
  useEffect(() => {
    const node = box.current;
    return () => {
      if (node) void import("plotly.js-basic-dist-min").then(({ default: plotly }) => plotly.purge(node));
    };
  }, []);
  if (state === "failed")
    return (
      <Text size="sm" c="dimmed">
        This plot cannot be drawn. Its data is in the JSON of the result.
      </Text>
    );
  return (
    <>
      {state === "loading" && <Loading />}
      <Box ref={box} h={height} role="figure" aria-label={label} data-state={state} />
    </>
  );
}

function heightOf({ layout }: Figure): number {
  const height = Number(layout?.height);
  return height >= 100 && height <= 1500 ? height : 360;
}
