import { Box, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { queries } from "@/api/queries";
import type { Job, LogLine } from "@/api/schema";
import { Collapsible } from "@/components/Collapsible";
import classes from "./Log.module.css";

const MAX_LINES = 1000;

/** The job's log. Scrolls to the end unless the user has scrolled up. */
export function Log({ job }: { job: Job }) {
  const { data: lines = [] } = useQuery({ ...queries.logs(job.id), enabled: job.attempt > 0 });
  if (lines.length === 0) return null;
  return (
    <Collapsible title={`Log (${lines.length.toLocaleString("en")})`} isOpen>
      <Lines lines={lines} />
    </Collapsible>
  );
}

function Lines({ lines }: { lines: LogLine[] }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll when lines are added
  useEffect(() => {
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const updateIsAtEnd = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = box.current ?? {};
    isAtEnd.current = scrollTop + clientHeight > scrollHeight - 20;
  };
  const hidden = lines.length - MAX_LINES;
  return (
    <Box
      ref={box}
      className={classes.lines}
      onScroll={updateIsAtEnd}
      tabIndex={0}
      role="log"
      aria-label="Log"
    >
      {hidden > 0 && <Text size="xs" c="dimmed">{`${hidden.toLocaleString("en")} earlier lines`}</Text>}
      {lines.slice(-MAX_LINES).map((line) => (
        <div key={line.seq} data-stream={line.stream} data-level={line.level}>
          {line.text || "\u00a0"}
        </div>
      ))}
    </Box>
  );
}
