import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useDeferredValue, useMemo } from "react";
import { documentQuery } from "@/api/documents";
import { queries } from "@/api/queries";
import { EmptyState } from "@/components/EmptyState";
import { Loading } from "@/components/Loading";
import { toFigure } from "@/components/results/content";
import type { Stage } from "../stage";
import { useStore } from "../store";
import classes from "../View.module.css";

const Plot = lazy(() => import("@/components/results/Plot"));
const PREFIX = "figures.";

interface Props {
  room: string;
  stage: Stage;
  onGo: (step: number) => void;
  onSelect: (atoms: number[]) => void;
  /** Side by side, instead of one below the other. */
  isRow?: boolean;
}

/** The figures of the room. A click on a point goes to its frame, and the point of the current frame is marked. */
export function Figures({ room, stage, onGo, onSelect, isRow = false }: Props) {
  const { data = [] } = useQuery(queries.documents(room));
  const keys = data.map(({ key }) => key).filter((key) => key.startsWith(PREFIX));
  if (keys.length === 0)
    return (
      <EmptyState title="No plots yet">
        Tools that analyse make them; so does <code>room.figures["name"] = figure</code>.
      </EmptyState>
    );
  return (
    <div className={isRow ? classes.plotRow : classes.plots}>
      {keys.map((key) => (
        <Figure key={key} room={room} name={key} stage={stage} onGo={onGo} onSelect={onSelect} />
      ))}
    </div>
  );
}

function Figure({ room, name, stage, onGo, onSelect }: Omit<Props, "isRow"> & { name: string }) {
  const { data } = useQuery(documentQuery(room, name));
  const step = useDeferredValue(useStore(stage.state, (state) => state.step));
  const figure = useMemo(() => toFigure(data?.value), [data]);
  const choose = (custom: unknown) => {
    const [frame, ...atoms] = [custom].flat(2).filter((each) => Number.isInteger(each)) as number[];
    if (frame !== undefined) onGo(frame);
    if (atoms.length) onSelect(atoms);
  };
  return (
    <div>
      <Text size="sm" fw={500}>
        {name.slice(PREFIX.length)}
      </Text>
      {figure && (
        <Suspense fallback={<Loading />}>
          <Plot plot={figure} marked={step} onPoint={choose} height={240} label={name.slice(PREFIX.length)} />
        </Suspense>
      )}
    </div>
  );
}
