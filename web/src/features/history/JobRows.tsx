import { Checkbox, Paper } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useRef } from "react";
import type { Job } from "@/api/schema";
import { MAX_SELECTED } from "@/components/bulk";
import classes from "./History.module.css";
import { JobRow } from "./JobRow";
import type { Selection } from "./useSelection";

const HEIGHT = 60;
const HEIGHT_ON_PHONE = 148;

interface Props {
  rows: Job[];
  schemaOf: (job: Job) => Record<string, unknown> | undefined;
  selection: Selection;
  onEnd: () => void;
}

/** A virtual list: only visible rows are rendered. */
export function JobRows({ rows, schemaOf, selection, onEnd }: Props) {
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
      <Head rows={rows} selection={selection} />
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
                <JobRow
                  job={job}
                  schema={schemaOf(job)}
                  isPicked={selection.ids.includes(job.id)}
                  pick={selection.toggle}
                />
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

function Head({ rows, selection }: Pick<Props, "rows" | "selection">) {
  const listed = rows.slice(0, MAX_SELECTED).map((job) => job.id);
  const picked = new Set(selection.ids);
  const isAll = listed.every((id) => picked.has(id));
  return (
    <div className={classes.head}>
      <Checkbox
        size="xs"
        aria-label={`Select all ${listed.length} listed jobs`}
        checked={isAll}
        indeterminate={!isAll && picked.size > 0}
        onChange={() => (isAll ? selection.clear() : selection.select(listed))}
      />
      <span aria-hidden>
        <span className={classes.onPhone}>Select all</span>
      </span>
      <span aria-hidden>Tool and values</span>
      <span aria-hidden>Result</span>
      <span aria-hidden>State</span>
      <span aria-hidden>By</span>
      <span aria-hidden>When</span>
      <span aria-hidden className={classes.spans}>
        <span>Waited</span>
        <span>Assigned</span>
        <span>Ran</span>
      </span>
      <span />
    </div>
  );
}
