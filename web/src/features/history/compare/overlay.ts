/** Curves of several jobs in one figure. */
import type { Content, Figure } from "@/components/results/content";
import { isObject } from "@/components/results/envelopes";
import { pointsOf } from "@/components/results/Lines";
import type { Part } from "./parts";

type Trace = Record<string, unknown>;
const HEIGHT_PX = 340;
const LEGEND_PX = 14;
const MAX_LEGEND = 24;
const DASHES = ["solid", "dash", "dot", "dashdot"];
const COLOURS = 8; // of the theme; behind them the dashes change

/** `null` if some of the contents are no curves. */
export function overlaid({ contents }: Part, labels: string[]): Figure | null {
  const found = contents.filter((each) => each !== null);
  if (found.length < 2 || !found.every((each) => isCurves(each))) return null;
  const traces = contents.flatMap((content, index) =>
    content ? tracesOf(content, labels[index] ?? "") : [],
  );
  const data = withoutRepeats(traces).map(dashed);
  return { data, layout: layoutOf(found, data.length) };
}

function isCurves(content: Content): boolean {
  if (content.kind === "line") return true;
  return content.kind === "plot" && content.plot.data.length > 0 && content.plot.data.every(isCurve);
}

function isCurve(trace: unknown): boolean {
  return isObject(trace) && (trace.type ?? "scatter") === "scatter" && Array.isArray(trace.y);
}

function tracesOf(content: Content, label: string): Trace[] {
  if (content.kind === "line") {
    const { series, x } = content;
    return series.map((each) => ({
      type: "scatter",
      mode: "lines",
      name: series.length === 1 ? label : `${label}: ${each.name}`,
      ...pointsOf(each, x),
    }));
  }
  const traces = content.kind === "plot" ? (content.plot.data as Trace[]) : [];
  return traces.map((trace) => ({
    ...trace,
    own: trace.name,
    name: traces.length === 1 || !trace.name ? label : `${label}: ${trace.name}`,
  }));
}

/** A reference that every job draws, such as the true value, is drawn once: the one with the widest axis. */
function withoutRepeats(traces: Trace[]): Trace[] {
  const groups = Map.groupBy(traces, ({ own, y }) => (own ? JSON.stringify([own, y]) : Symbol("alone")));
  return [...groups.values()].flatMap((same) => {
    const [first] = same;
    if (!first || same.length === 1) return same;
    const widest = same.reduce((best, each) => (endOf(each) > endOf(best) ? each : best), first);
    return [{ ...widest, name: first.own }];
  });
}

function endOf({ x }: Trace): number {
  return Array.isArray(x) ? Number(x.at(-1)) : 0;
}

function dashed({ own: _own, ...trace }: Trace, index: number): Trace {
  const dash = DASHES[Math.floor(index / COLOURS) % DASHES.length];
  return dash === "solid" ? trace : { ...trace, line: { ...(trace.line as object), dash } };
}

/** Room for a legend above the plot, of one line for each curve on a phone. Plotly draws no axis that is `undefined`. */
function layoutOf([first]: Content[], curves: number): Record<string, unknown> {
  const own = first?.kind === "plot" ? (first.plot.layout ?? {}) : {};
  const xaxis = first?.kind === "line" ? { title: { text: first.xName } } : (own.xaxis ?? {});
  const legend = { orientation: "h", y: 1.02, yanchor: "bottom" };
  const height = HEIGHT_PX + Math.min(curves, MAX_LEGEND) * LEGEND_PX;
  return { xaxis, yaxis: own.yaxis ?? {}, showlegend: true, legend, height };
}
