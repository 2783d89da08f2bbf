import { Box, useComputedColorScheme } from "@mantine/core";
import Plotly from "plotly.js-basic-dist-min";
import { useEffect, useRef } from "react";
import type { Plot as Figure } from "./thing";

export default function Plot({ plot }: { plot: Figure }) {
  const box = useRef<HTMLDivElement>(null);
  const isDark = useComputedColorScheme("light") === "dark";
  useEffect(() => {
    const node = box.current;
    if (!node) return;
    const ink = isDark ? "#c9c9c9" : "#343a40";
    const look = { paper_bgcolor: "transparent", plot_bgcolor: "transparent", font: { color: ink } };
    const layout = { margin: { t: 30, r: 10, b: 40, l: 50 }, ...plot.layout, ...look, autosize: true };
    void Plotly.react(node, plot.data, layout, { displaylogo: false, responsive: true });
  }, [plot, isDark]);
  useEffect(() => {
    const node = box.current;
    return () => {
      if (node) Plotly.purge(node);
    };
  }, []);
  return <Box ref={box} h={360} role="figure" aria-label="Plot" />;
}
