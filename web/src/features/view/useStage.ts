import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { onFramesChanged } from "@/api/frameChanges";
import { fetchFrames } from "@/api/frameRequests";
import type { FramesSummary } from "@/api/schema";
import { neededKeys } from "./colour/atomValues";
import { BASIC_KEYS } from "./data/molecule";
import type { Display } from "./display";
import { Stage, type StageEvents, type Theme } from "./stage";

const THEMES: Record<"light" | "dark", Theme> = {
  light: { background: "#f1f3f5", line: "#868e96", text: "#212529" },
  dark: { background: "#1a1b1e", line: "#828282", text: "#f1f3f5" },
};
const MAX_VALUES = 60;

/** A stage in an element, with the frames of a room. The element is given by the returned `ref`. */
export function useStage(room: string, summary: FramesSummary, display: Display, events: StageEvents) {
  const element = useRef<HTMLDivElement>(null);
  const [stage, setStage] = useState<Stage | null>(null);
  const latest = useRef(events);
  latest.current = events;
  const keys = keysToRead(summary, display);
  const first = useRef(keys);
  useEffect(() => {
    if (!element.current) return;
    const made = new Stage(element.current, (range) => fetchFrames(room, range), first.current, {
      selected: (atoms) => latest.current.selected(atoms),
      moved: (camera) => latest.current.moved(camera),
      edited: (change, words) => latest.current.edited(change, words),
      followed: () => latest.current.followed(),
    });
    setStage(made);
    return () => made.dispose();
  }, [room]);
  useFrames(stage, room, summary);
  const scheme = useComputedColorScheme("light");
  useEffect(() => stage?.setTheme(THEMES[scheme]), [stage, scheme]);
  const wanted = keys.join(",");
  useEffect(() => stage?.setKeys(wanted.split(",")), [stage, wanted]);
  useEffect(() => stage?.setDisplay(display), [stage, display]);
  return { element, stage };
}

/** Events tell what changed. A summary that is newer than all of them, after a reconnect, makes everything new. */
function useFrames(stage: Stage | null, room: string, { length, version }: FramesSummary): void {
  useEffect(() => {
    if (!stage) return;
    return onFramesChanged(room, (change) => {
      if (change.version <= stage.trajectory.version) return;
      if (change.op === "append") stage.append(change.length, change.version);
      else stage.change(change.start, change.length, change.version);
    });
  }, [stage, room]);
  useEffect(() => {
    if (!stage || version <= stage.trajectory.version) return;
    if (stage.trajectory.version === 0) stage.append(length, version);
    else stage.change(0, length, version);
  }, [stage, length, version]);
}

function keysToRead({ keys }: FramesSummary, display: Display): string[] {
  const known = keys.map(({ key }) => key);
  const values = keys.filter(({ kind }) => kind === "value").slice(0, MAX_VALUES);
  const constraints = known.filter((key) => key.startsWith("constraints."));
  const wanted = [
    ...BASIC_KEYS,
    ...values.map(({ key }) => key),
    ...constraints,
    ...neededKeys(display, known),
  ];
  return [...new Set(wanted)].filter((key) => !key.includes(",")).sort();
}
