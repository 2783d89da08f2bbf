import { Box, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { queries } from "@/api/queries";
import type { Job, LogLine } from "@/api/schema";
import { Folded } from "@/components/Folded";
import classes from "./Log.module.css";

const SHOWN = 1000;

/** What the job printed; stays at the end unless somebody scrolls up. */
export function Log({ job }: { job: Job }) {
  const { data: lines = [] } = useQuery({ ...queries.logs(job.id), enabled: job.attempt > 0 });
  if (lines.length === 0) return null;
  return (
    <Folded title={`Log (${lines.length.toLocaleString("en")})`} isOpen>
      <Lines lines={lines} />
    </Folded>
  );
}

function Lines({ lines }: { lines: LogLine[] }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines move the end
  useEffect(() => {
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const noteEnd = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = box.current ?? {};
    isAtEnd.current = scrollTop + clientHeight > scrollHeight - 20;
  };
  const hidden = lines.length - SHOWN;
  return (
    <Box ref={box} className={classes.lines} onScroll={noteEnd} tabIndex={0} role="log" aria-label="Log">
      {hidden > 0 && <Text size="xs" c="dimmed">{`${hidden.toLocaleString("en")} earlier lines`}</Text>}
      {lines.slice(-SHOWN).map((line) => (
        <div key={line.seq} data-stream={line.stream} data-level={line.level}>
          {line.text || "\u00a0"}
        </div>
      ))}
    </Box>
  );
}
