import { type ReactNode, Suspense, useEffect, useState } from "react";

const LONGEST_MS = 1000;

/** What nobody reaches for first comes when the page around it is drawn and the browser has time. */
export function Later({ children }: { children: ReactNode }) {
  const [isTime, setTime] = useState(false);
  useEffect(() => whenIdle(() => setTime(true)), []);
  return isTime && <Suspense>{children}</Suspense>;
}

/** Safari does not tell when it has time. */
function whenIdle(then: () => void): () => void {
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(then, LONGEST_MS);
    return () => clearTimeout(timer);
  }
  const idle = requestIdleCallback(then, { timeout: LONGEST_MS });
  return () => cancelIdleCallback(idle);
}
