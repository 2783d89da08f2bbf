import { Box, Text, useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { type Config, type Loader, loader, None, parse, type Spec, View } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";
import { Loading } from "@/components/Loading";
import classes from "./Results.module.css";
import { checkVega } from "./vegaLimits";

/** A Vega-Lite chart. Expressions are interpreted, not compiled: the page's security policy forbids that. */
export default function Vega({ spec }: { spec: Record<string, unknown> }) {
  const box = useRef<HTMLDivElement>(null);
  const isDark = useComputedColorScheme("light") === "dark";
  const [state, setState] = useState<"loading" | "drawn" | "failed">("loading");
  useEffect(() => {
    const node = box.current;
    if (!node) return;
    let view: View | null = null;
    const draw = async () => {
      view = viewOf(spec, isDark, node);
      await view.runAsync();
      setState("drawn");
    };
    draw().catch(() => setState("failed"));
    return () => {
      view?.finalize();
    };
  }, [spec, isDark]);
  return (
    <>
      {state === "loading" && <Loading />}
      {state === "failed" && (
        <Text size="sm" c="dimmed">
          This chart cannot be drawn. Its specification is in the JSON of the result.
        </Text>
      )}
      <Box ref={box} className={classes.vega} role="figure" aria-label="Chart" data-state={state} />
    </>
  );
}

function viewOf(spec: Record<string, unknown>, isDark: boolean, node: HTMLElement): View {
  checkVega(spec);
  const { config, ...rest } = spec;
  const own = { ...((config as Config | undefined) ?? {}), ...themeOf(isDark) };
  const compiled = compile(
    { ...rest, autosize: { type: "pad", contains: "padding" } } as unknown as TopLevelSpec,
    {
      config: own as never,
    },
  );
  const runtime = parse(compiled.spec as Spec, undefined, { ast: true });
  return new View(runtime, {
    container: node,
    renderer: "svg",
    loader: offline(),
    expr: expressionInterpreter,
    logLevel: None,
  });
}

/** Data and images come with the chart: nothing is fetched. Links lead to web pages only. */
function offline(): Loader {
  const standard = loader();
  return {
    ...standard,
    load: () => Promise.reject(new Error("charts load no data")),
    sanitize: (uri, options) =>
      (options as { context?: string }).context === "href" || uri.startsWith("data:image/")
        ? standard.sanitize(uri, options)
        : Promise.reject(new Error("charts load no images")),
  };
}

function themeOf(isDark: boolean): Config {
  const [text, grid] = isDark ? ["#c9c9c9", "#3b3b3b"] : ["#343a40", "#e3e6ea"];
  const labels = { labelColor: text, titleColor: text };
  return {
    background: "transparent",
    view: { stroke: grid },
    title: { color: text, subtitleColor: text },
    axis: { ...labels, gridColor: grid, domainColor: grid, tickColor: grid },
    legend: labels,
    header: labels,
    style: { "guide-label": { fill: text }, "guide-title": { fill: text } },
  } as Config;
}
