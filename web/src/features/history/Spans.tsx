import { Box } from "@mantine/core";
import type { Job } from "@/api/schema";
import { formatDuration } from "@/components/format";
import { useNow } from "@/components/RelativeTime";
import { COLOURS, isOver } from "@/components/state";
import classes from "./History.module.css";
import { type Span, spansOf } from "./spans";

/** The time in each state, as numbers and as a bar. Only unfinished jobs update every second. */
export function Spans({ job }: { job: Job }) {
  return isOver(job) ? <SpanBar spans={spansOf(job, 0)} /> : <LiveSpans job={job} />;
}

function LiveSpans({ job }: { job: Job }) {
  return <SpanBar spans={spansOf(job, useNow())} />;
}

function SpanBar({ spans }: { spans: Span[] }) {
  return (
    <Box className={classes.spans} fz={{ base: "xs", sm: "sm" }}>
      {spans.map(({ label, ms }) => (
        <span key={label}>
          <span className={classes.label}>{label} </span>
          {ms === null ? "–" : formatDuration(ms)}
        </span>
      ))}
      <div className={classes.bar} aria-hidden>
        {spans.map(({ label, status, ms }) => (
          <div
            key={label}
            style={{ flex: `${ms ?? 0} 0 0`, background: `var(--mantine-color-${COLOURS[status]}-5)` }}
          />
        ))}
      </div>
    </Box>
  );
}
