import { useEffect, useState } from "react";
import { duration } from "./words";

/** How long since; ticks by itself. */
export function Since({ at }: { at: string }) {
  return duration(Math.max(0, useNow() - Date.parse(at)));
}

/** How long ago, roughly: it need not tick every second. */
export function Ago({ at }: { at: string }) {
  const ms = Math.max(0, useNow() - Date.parse(at));
  const text = ms < 5000 ? "just now" : `${duration(ms).replace(/(min|h|d) .*/, "$1")} ago`;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {text}
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
