import { Paper } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useRef } from "react";
import type { Job } from "@/api/schema";
import classes from "./History.module.css";
import { JobRow } from "./JobRow";

const HEIGHT = 52;
const HEIGHT_ON_PHONE = 96;

interface Props {
  rows: Job[];
  picked: string[];
  pick: (id: string) => void;
  onEnd: () => void;
}

/** A virtual list: only visible rows are rendered. */
export function JobRows({ rows, picked, pick, onEnd }: Props) {
  const isPhone = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  const list = useRef<HTMLUListElement>(null);
  const window = useWindowVirtualizer({
    count: rows.length,
    estimateSize: useCallback(() => (isPhone ? HEIGHT_ON_PHONE : HEIGHT), [isPhone]),
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    scrollMargin: topOf(list.current),
    overscan: 8,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are taller on phones
  useEffect(() => window.measure(), [isPhone]);
  const visible = window.getVirtualItems();
  const isAtEnd = rows.length > 0 && (visible.at(-1)?.index ?? 0) >= rows.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd();
  }, [isAtEnd, onEnd]);
  return (
    <Paper withBorder>
      <Head />
      <ul ref={list} aria-label="Jobs" className={classes.rows} style={{ height: window.getTotalSize() }}>
        {visible.map(({ key, index, start }) => {
          const job = rows[index];
          return (
            job && (
              <li
                key={key}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                className={classes.row}
                style={{ top: start - window.options.scrollMargin }}
              >
                <JobRow job={job} isPicked={picked.includes(job.id)} pick={pick} />
              </li>
            )
          );
        })}
      </ul>
    </Paper>
  );
}

function topOf(list: HTMLElement | null): number {
  return list ? list.getBoundingClientRect().top + globalThis.scrollY : 0;
}

function Head() {
  return (
    <div aria-hidden className={classes.head}>
      <span />
      <span>Tool</span>
      <span>State</span>
      <span>By</span>
      <span>When</span>
      <span className={classes.spans}>
        <span>Waited</span>
        <span>Assigned</span>
        <span>Ran</span>
      </span>
      <span />
    </div>
  );
}
