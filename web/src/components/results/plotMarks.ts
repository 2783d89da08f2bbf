import type { Figure } from "./content";
import { isObject } from "./envelopes";

const COLOUR = "#15aabf";
const RING = { size: 13, color: "rgba(0,0,0,0)", line: { width: 3, color: COLOUR } };
const DOT = { size: 7, color: COLOUR };
const MAX_RINGS = 12; // in a trace: more would hide it

/**
 * A figure with a ring around each point of a frame, or with a dot on it if there are many. Points know their frame
 * by `customdata`.
 */
export function withMarks(figure: Figure, frame: number | undefined): Figure {
  if (frame === undefined) return figure;
  const marks = figure.data.flatMap((trace) => (isObject(trace) ? marksIn(trace, frame) : []));
  return marks.length ? { ...figure, data: [...figure.data, ...marks] } : figure;
}

function marksIn(trace: Record<string, unknown>, frame: number): unknown[] {
  const { x, y, customdata, type = "scatter", xaxis, yaxis } = trace;
  if (type !== "scatter" || !Array.isArray(customdata) || !Array.isArray(x) || !Array.isArray(y)) return [];
  const places = customdata.flatMap((each, place) => ([each].flat()[0] === frame ? [place] : []));
  if (!places.length) return [];
  const at = (values: unknown[]) => places.map((place) => values[place]);
  const axes = { ...(xaxis !== undefined && { xaxis }), ...(yaxis !== undefined && { yaxis }) };
  return [
    {
      type,
      mode: "markers",
      x: at(x),
      y: at(y),
      marker: places.length > MAX_RINGS ? DOT : RING,
      hoverinfo: "skip",
      showlegend: false,
      ...axes,
    },
  ];
}
