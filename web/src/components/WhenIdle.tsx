import { type ReactNode, Suspense, useEffect, useState } from "react";

const MAX_WAIT_MS = 1000;

/** Renders its children when the browser is idle, after the page around them. */
export function WhenIdle({ children }: { children: ReactNode }) {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => setIdle(true)), []);
  return isIdle && <Suspense>{children}</Suspense>;
}

/** Safari has no `requestIdleCallback`. */
function whenIdle(then: () => void): () => void {
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(then, MAX_WAIT_MS);
    return () => clearTimeout(timer);
  }
  const idle = requestIdleCallback(then, { timeout: MAX_WAIT_MS });
  return () => cancelIdleCallback(idle);
}
