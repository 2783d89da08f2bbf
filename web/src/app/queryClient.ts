import { QueryClient } from "@tanstack/react-query";
import { unmounted } from "@/api/mount";
import { Problem } from "@/api/problem";
import { queries } from "@/api/queries";
import { hasSession } from "@/api/session";

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: shouldRetry,
      retryDelay: (tries) => Math.min(500 * 2 ** tries, 4000),
    },
    mutations: { networkMode: "always" },
  },
});

/** A client error stays an error; anything else may succeed later. */
function shouldRetry(tries: number, error: Error): boolean {
  const isClientError = error instanceof Problem && error.status < 500;
  return !isClientError && tries < 20;
}

/** Requests what the first page needs while its code is still loading. */
function prefetch(path: string): void {
  void client.prefetchQuery(queries.me());
  const room = /^\/rooms\/([a-z0-9_-]+)/.exec(path)?.[1];
  if (!room || !hasSession()) return;
  void client.prefetchQuery(queries.room(room));
  void client.prefetchQuery(queries.extensions(room));
}

prefetch(unmounted(window.location.pathname));
