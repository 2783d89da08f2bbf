interface PlotlyModule {
  react(
    node: HTMLElement,
    data: unknown[],
    layout: Record<string, unknown>,
    config: Record<string, unknown>,
  ): Promise<unknown>;
  purge(node: HTMLElement): void;
}

declare module "plotly.js-basic-dist-min" {
  const Plotly: PlotlyModule;
  export default Plotly;
}

declare module "plotly.js-strict-dist-min" {
  const Plotly: PlotlyModule;
  export default Plotly;
}
