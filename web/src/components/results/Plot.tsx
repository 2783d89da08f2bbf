import { Box, useComputedColorScheme } from "@mantine/core";
import Plotly from "plotly.js-basic-dist-min";
import { useEffect, useRef } from "react";
import type { Plot as Figure } from "./content";

export default function Plot({ plot }: { plot: Figure }) {
  const box = useRef<HTMLDivElement>(null);
  const isDark = useComputedColorScheme("light") === "dark";
  useEffect(() => {
    const node = box.current;
    if (!node) return;
    const textColor = isDark ? "#c9c9c9" : "#343a40";
    const theme = { paper_bgcolor: "transparent", plot_bgcolor: "transparent", font: { color: textColor } };
    const layout = { margin: { t: 30, r: 10, b: 40, l: 50 }, ...plot.layout, ...theme, autosize: true };
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
