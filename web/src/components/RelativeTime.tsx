import { useEffect, useState } from "react";
import { formatAgo, formatDuration } from "./format";

/** The time since, updated every second. */
export function Since({ at }: { at: string }) {
  return formatDuration(Math.max(0, useNow() - Date.parse(at)));
}

/** Roughly how long ago. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {formatAgo(useNow() - Date.parse(at))}
    </time>
  );
}

export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
