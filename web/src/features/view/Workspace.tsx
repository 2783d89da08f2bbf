import { Tabs } from "@mantine/core";
import { type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import type { FramesSummary } from "@/api/schema";
import { type Display, loadDisplay, saveDisplay } from "./display";
import { LockBanner } from "./LockBanner";
import { Picture } from "./Picture";
import { PlayBar } from "./PlayBar";
import { DisplayPanel } from "./panels/DisplayPanel";
import { Figures } from "./panels/Figures";
import { PlotsBelow, PlotsTab } from "./panels/Plots";
import { SelectedBy } from "./panels/SelectedBy";
import { SelectionPanel } from "./panels/SelectionPanel";
import { Player } from "./player";
import { Toolbar } from "./Toolbar";
import { useEdits } from "./useEdits";
import { useGeometries } from "./useGeometries";
import { useKeys } from "./useKeys";
import { usePreviews } from "./usePreviews";
import { useStage } from "./useStage";
import { useCamera, useSelection, useStep } from "./useTogether";
import classes from "./View.module.css";

interface Props {
  room: string;
  me: string;
  summary: FramesSummary;
  mayEdit: boolean;
  tools: ReactNode;
}

/** The picture, with its controls around it. */
export function Workspace({ room, me, summary, mayEdit, tools }: Props) {
  const [display, setDisplay] = useState(loadDisplay);
  const [isFollowing, setFollowing] = useState(true);
  const [isPresenting, setPresenting] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const [handlers] = useState(() => ({
    selected: (_: number[]) => {},
    moved: (_: Parameters<typeof share>[0]) => {},
    edited: (..._: Parameters<typeof edit>) => {},
    followed: () => {},
  }));
  const { element, stage } = useStage(room, summary, display, {
    selected: (atoms) => handlers.selected(atoms),
    moved: (camera) => handlers.moved(camera),
    edited: (change, words) => handlers.edited(change, words),
    followed: () => handlers.followed(),
  });
  const { selection, select, shares, colourOf } = useSelection(room, stage, { me, mayEdit });
  const { shareStep, shareEnd } = useStep(room, stage, isFollowing, mayEdit);
  const onPerspective = useCallback(
    (isPerspective: boolean) =>
      setDisplay((before) =>
        before.isPerspective === isPerspective ? before : { ...before, isPerspective },
      ),
    [],
  );
  const share = useCamera(room, stage, { isPresenting, isFollowing, onPerspective });
  usePreviews(room, stage);
  const problems = useGeometries(room, stage, display.hasGeometries);
  const { edit, undo, redo } = useEdits(room, stage, select);
  Object.assign(handlers, { selected: select, moved: share, edited: edit, followed: shareEnd });
  useEffect(() => {
    if (stage) stage.isEditing = isEditing && mayEdit;
  }, [stage, isEditing, mayEdit]);

  const player = useMemo(() => stage && new Player(stage, shareStep), [stage, shareStep]);
  useEffect(() => () => player?.pause(), [player]);
  const go = useCallback(
    (step: number) => {
      if (!stage) return;
      player?.pause();
      void stage.show(step);
      shareStep(stage.state.get().step);
    },
    [stage, player, shareStep],
  );
  const by = (count: number) => stage && go(stage.state.get().step + count);
  useKeys({
    " ": () => player?.toggle(),
    arrowright: () => by(1),
    arrowleft: () => by(-1),
    "shift+arrowright": () => by(10),
    "shift+arrowleft": () => by(-10),
    home: () => go(0),
    end: () => stage && go(stage.state.get().length - 1),
    escape: () => select([]),
    ...(mayEdit && { "mod+z": undo, "mod+shift+z": redo, "mod+y": redo }),
  });
  const change = (part: Partial<Display>) => {
    const next = { ...display, ...part };
    setDisplay(next);
    saveDisplay(next);
  };
  const plots = { place: display.plots, onPlace: (place: Display["plots"]) => change({ plots: place }) };
  return (
    <div className={classes.page}>
      <LockBanner room={room} />
      <section className={classes.picture} aria-label="View">
        <Picture element={element} stage={stage} display={display} problems={problems} />
        {stage && (
          <Toolbar
            stage={stage}
            display={display}
            onDisplay={change}
            together={{ isFollowing, isPresenting, mayEdit, setFollowing, setPresenting }}
            onUndo={undo}
            onRedo={redo}
          />
        )}
      </section>
      {stage && player && <PlayBar room={room} stage={stage} player={player} mayEdit={mayEdit} onGo={go} />}
      <PlotsBelow {...plots}>
        {stage && <Figures room={room} stage={stage} onGo={go} onSelect={select} isRow />}
      </PlotsBelow>
      <Tabs defaultValue="display" className={classes.side} keepMounted={false}>
        <Tabs.List grow>
          <Tabs.Tab value="display">Display</Tabs.Tab>
          <Tabs.Tab value="selection">Selection</Tabs.Tab>
          <Tabs.Tab value="tools">Tools</Tabs.Tab>
          <Tabs.Tab value="plots">Plots</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="display" className={classes.panel}>
          {stage && <DisplayPanel summary={summary} display={display} stage={stage} onChange={change} />}
        </Tabs.Panel>
        <Tabs.Panel value="selection" className={classes.panel}>
          {stage && (
            <SelectionPanel
              room={room}
              stage={stage}
              selection={selection}
              selectedBy={<SelectedBy shares={shares} colourOf={colourOf} />}
              mayEdit={mayEdit}
              isEditing={isEditing}
              onEditing={setEditing}
              onSelect={select}
              onEdit={edit}
            />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="tools" className={classes.panel}>
          {tools}
        </Tabs.Panel>
        <Tabs.Panel value="plots" className={classes.panel}>
          <PlotsTab {...plots}>
            {stage && <Figures room={room} stage={stage} onGo={go} onSelect={select} />}
          </PlotsTab>
        </Tabs.Panel>
      </Tabs>
    </div>
  );
}
