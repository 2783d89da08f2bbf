import { ActionIcon, Box, Group, Text, TextInput, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy, IconDownload, IconFilter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { queries } from "@/api/queries";
import type { Job, LogLine } from "@/api/schema";
import { Collapsible } from "@/components/Collapsible";
import { copyText } from "@/components/copy";
import { saveAs } from "@/components/results/download";
import { withoutItems } from "./itemLines";
import classes from "./Log.module.css";
import { logText, matching, timeOf } from "./logText";

const MAX_LINES = 1000;
const FILTERED_FROM = 10;

/** The job's log, with times, a filter, and buttons to copy and to download it. */
export function Log({ job }: { job: Job }) {
  const { data = [] } = useQuery({ ...queries.logs(job.id), enabled: job.attempt > 0 });
  const lines = useMemo(() => withoutItems(data), [data]);
  const [filter, setFilter] = useState("");
  if (lines.length === 0) return null;
  const shown = matching(lines, filter);
  return (
    <Collapsible title={`Log (${lines.length.toLocaleString("en")})`} isOpen>
      <Group gap={6} mb={6} wrap="nowrap" justify="flex-end">
        {lines.length >= FILTERED_FROM && (
          <TextInput
            size="xs"
            flex={1}
            maw={220}
            leftSection={<IconFilter size={14} />}
            placeholder="Filter"
            aria-label="Filter the log"
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
        )}
        <CopyButton text={() => logText(shown)} />
        <Button
          label="Download the log"
          onClick={() => saveAs(`${job.id}.log`, logText(lines), "text/plain")}
        >
          <IconDownload size={15} />
        </Button>
      </Group>
      <Lines lines={shown} />
    </Collapsible>
  );
}

function CopyButton({ text }: { text: () => string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    setCopied(await copyText(text()));
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <Button label={isCopied ? "Copied" : "Copy the log"} onClick={copy}>
      {isCopied ? <IconCheck size={15} /> : <IconCopy size={15} />}
    </Button>
  );
}

function Button({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={30} aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

/** Scrolls to the end unless the user has scrolled up. */
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
        <div
          key={line.seq}
          className={classes.line}
          data-stream={line.stream}
          data-level={line.level}
          data-time={timeOf(line)}
        >
          {line.text || "\u00a0"}
        </div>
      ))}
    </Box>
  );
}
