import type { ReactNode } from "react";
import classes from "./MyJobs.module.css";

const RADIUS = 13;
const LENGTH = 2 * Math.PI * RADIUS;
const UNKNOWN = 0.25;

/** A ring that fills with the progress, and turns if there is none to show. */
export function Ring(props: { fraction: number | null; isDone: boolean; children: ReactNode }) {
  const { fraction, isDone, children } = props;
  return (
    <span className={classes.ring} data-done={isDone || undefined}>
      <svg
        viewBox="0 0 32 32"
        width={32}
        height={32}
        aria-hidden
        data-turning={fraction === null || undefined}
      >
        <circle cx={16} cy={16} r={RADIUS} className={classes.track} />
        <circle
          cx={16}
          cy={16}
          r={RADIUS}
          className={classes.filled}
          strokeDasharray={`${(fraction ?? UNKNOWN) * LENGTH} ${LENGTH}`}
        />
      </svg>
      <span className={classes.count}>{children}</span>
    </span>
  );
}
