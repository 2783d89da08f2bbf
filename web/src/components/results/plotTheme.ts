import type { Figure } from "./content";
import { isObject } from "./envelopes";

type Scheme = "light" | "dark";
const COLOURS = {
  light: { text: "#343a40", grid: "#e3e6ea", line: "#adb5bd", hover: "#ffffff" },
  dark: { text: "#c9c9c9", grid: "#3b3b3b", line: "#696969", hover: "#2e2e2e" },
};
const COLORWAY = {
  light: ["#4263eb", "#e8590c", "#2f9e44", "#c2255c", "#0c8599", "#9c36b5", "#f08c00", "#495057"],
  dark: ["#748ffc", "#ff922b", "#51cf66", "#f06595", "#22b8cf", "#cc5de8", "#fcc419", "#ced4da"],
};

const COLOURED = ["heatmap", "contour", "surface", "histogram2d", "histogram2dcontour"];

/** In the colours of the page. What a figure sets for its own data stays. */
export function themed({ data, layout = {} }: Figure, scheme: Scheme): Required<Figure> {
  const { text, grid, line, hover } = COLOURS[scheme];
  const axis = { gridcolor: grid, zerolinecolor: line, linecolor: line, tickcolor: line, color: text };
  const background = { ...axis, showbackground: false, backgroundcolor: "transparent" };
  const template = {
    data: Object.fromEntries(COLOURED.map((type) => [type, [{ colorscale: "Viridis" }]])),
    layout: {
      colorway: COLORWAY[scheme],
      xaxis: { ...axis, automargin: true },
      yaxis: { ...axis, automargin: true },
      scene: { xaxis: background, yaxis: background, zaxis: background },
      polar: { bgcolor: "transparent", angularaxis: axis, radialaxis: axis },
      colorscale: { sequential: "Viridis" },
      hoverlabel: { bgcolor: hover, bordercolor: line, font: { color: text } },
    },
  };
  const font = isObject(layout.font) ? layout.font : {};
  const { width: _width, height: _height, ...rest } = layout;
  return {
    data,
    layout: {
      margin: { t: titled(layout) ? 40 : 16, r: 16, b: 40, l: 48 },
      ...rest,
      template,
      paper_bgcolor: "transparent",
      plot_bgcolor: "transparent",
      font: { ...font, color: text },
      autosize: true,
    },
  };
}

function titled({ title }: Record<string, unknown>): boolean {
  return typeof title === "string" ? title !== "" : isObject(title) && Boolean(title.text);
}
