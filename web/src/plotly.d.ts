interface PlotlyModule {
  react(
    node: HTMLElement,
    data: unknown[],
    layout: Record<string, unknown>,
    config: Record<string, unknown>,
  ): Promise<unknown>;
  purge(node: HTMLElement): void;
}

/** What Plotly makes of an element that it draws in. */
interface PlotlyElement extends HTMLElement {
  on(event: "plotly_click", listener: (event: { points: { customdata?: unknown }[] }) => void): void;
  removeAllListeners(event: "plotly_click"): void;
}

declare module "plotly.js-basic-dist-min" {
  const Plotly: PlotlyModule;
  export default Plotly;
}

declare module "plotly.js-strict-dist-min" {
  const Plotly: PlotlyModule;
  export default Plotly;
}
