import { Box } from "@mantine/core";
import type { Job } from "@/api/schema";
import { COLOURS, isOver } from "@/components/state";
import { useNow } from "@/components/Ticking";
import { duration } from "@/components/words";
import classes from "./History.module.css";
import { type Span, spansOf } from "./spans";

/** How long in each state, in numbers and drawn; only what goes on ticks. */
export function Spans({ job }: { job: Job }) {
  return isOver(job) ? <Drawn spans={spansOf(job, 0)} /> : <Running job={job} />;
}

function Running({ job }: { job: Job }) {
  return <Drawn spans={spansOf(job, useNow())} />;
}

function Drawn({ spans }: { spans: Span[] }) {
  return (
    <Box className={classes.spans} fz={{ base: "xs", sm: "sm" }}>
      {spans.map(({ label, ms }) => (
        <span key={label}>
          <span className={classes.label}>{label} </span>
          {ms === null ? "–" : duration(ms)}
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
