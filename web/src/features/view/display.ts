import type { ColourMap, Range } from "./colour/scale";
import type { Style } from "./engine/moleculeView";

/** How a frame is drawn, and what is where. Everybody has their own. */
export interface Display {
  readonly style: Style;
  /** `element`, `expression`, or the key of an array. */
  readonly colourBy: string;
  readonly expression: string;
  readonly colourMap: ColourMap;
  /** Null for that of each frame. */
  readonly range: Range | null;
  /** The key of an array, or `velocities`; null for no arrows. */
  readonly vectors: string | null;
  readonly vectorScale: number;
  readonly labels: "none" | "index" | "element";
  readonly hasCell: boolean;
  readonly hasAxes: boolean;
  readonly hasConstraints: boolean;
  readonly hasGeometries: boolean;
  readonly isPerspective: boolean;
  /** Where the plots are, as seen from the picture. */
  readonly plots: "beside" | "below";
}

export const DEFAULT_DISPLAY: Display = {
  style: "ball-and-stick",
  colourBy: "element",
  expression: "norm(forces)",
  colourMap: "viridis",
  range: null,
  vectors: null,
  vectorScale: 1,
  labels: "none",
  hasCell: true,
  hasAxes: true,
  hasConstraints: true,
  hasGeometries: true,
  isPerspective: true,
  plots: "beside",
};

const KEY = "view:display";

export function loadDisplay(): Display {
  try {
    return { ...DEFAULT_DISPLAY, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return DEFAULT_DISPLAY;
  }
}

export function saveDisplay(display: Display): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(display));
  } catch {
    // Without storage it lasts as long as the page.
  }
}
