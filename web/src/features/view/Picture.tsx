import { Box, Text } from "@mantine/core";
import type { RefObject } from "react";
import { gradient } from "./colour/scale";
import type { Display } from "./display";
import { inspect } from "./inspect";
import { PreviewBadge } from "./PreviewBadge";
import { atomsInWords, type Stage } from "./stage";
import { useStore } from "./store";
import classes from "./View.module.css";

interface Props {
  element: RefObject<HTMLDivElement | null>;
  stage: Stage | null;
  display: Display;
  /** Sentences about what is not drawn. */
  problems: readonly string[];
}

const MAX_PROBLEMS = 3;

/** The canvas, and what lies above it. */
export function Picture({ element, stage, display, problems }: Props) {
  return (
    <>
      <div ref={element} className={classes.canvas} data-testid="canvas" />
      {stage && <Notes stage={stage} display={display} problems={problems} />}
    </>
  );
}

function Notes({ stage, display, problems }: Omit<Props, "element" | "stage"> & { stage: Stage }) {
  const box = useStore(stage.state, (state) => state.box);
  const isLost = useStore(stage.state, (state) => state.isLost);
  const problem = useStore(stage.state, (state) => state.problem);
  const isEmpty = useStore(stage.state, (state) => state.shown === null);
  return (
    <>
      {box && (
        <div
          className={classes.box}
          style={{ left: box.left, top: box.top, width: box.right - box.left, height: box.bottom - box.top }}
        />
      )}
      <PreviewBadge stage={stage} />
      <div className={classes.note} aria-live="off">
        {isLost && "The graphics card is busy: the picture comes back when it can."}
        {problem ? (
          <Text role="alert" size="sm" c="red">
            {problem}
          </Text>
        ) : isEmpty ? (
          "Loading…"
        ) : (
          <Hovered stage={stage} />
        )}
        {problems.slice(0, MAX_PROBLEMS).map((each) => (
          <Text key={each} role="status" size="xs" c="red">
            {each}
          </Text>
        ))}
        <ColourBar stage={stage} display={display} />
      </div>
    </>
  );
}

function Hovered({ stage }: { stage: Stage }) {
  return useStore(stage.state, ({ shown, hovered }) => {
    if (!shown) return null;
    const count = shown.molecule.numbers.length;
    return hovered >= 0 && hovered < count ? inspect(shown, hovered) : atomsInWords(count);
  });
}

function ColourBar({ stage, display }: { stage: Stage; display: Display }) {
  const range = useStore(stage.state, (state) => state.range);
  if (!range) return null;
  const name = display.colourBy === "expression" ? display.expression : display.colourBy;
  return (
    <Box
      w={200}
      mt={4}
      role="img"
      aria-label={`Colours: ${name} from ${number(range[0])} to ${number(range[1])}`}
    >
      <Text size="xs" truncate>
        {name}
      </Text>
      <div className={classes.bar} style={{ background: gradient(display.colourMap) }} />
      <Text size="xs" component="div" style={{ display: "flex", justifyContent: "space-between" }}>
        <span>{number(range[0])}</span>
        <span>{number(range[1])}</span>
      </Text>
    </Box>
  );
}

const number = (value: number) => String(Number(value.toPrecision(4)));
