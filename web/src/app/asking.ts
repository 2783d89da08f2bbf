import { QueryClient } from "@tanstack/react-query";
import { Problem } from "@/api/problem";
import { queries } from "@/api/queries";

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: isWorthRepeating,
      retryDelay: (tries) => Math.min(500 * 2 ** tries, 4000),
    },
    mutations: { networkMode: "always" },
  },
});

/** What the server refused it refuses again; what did not reach it may yet. */
function isWorthRepeating(tries: number, error: Error): boolean {
  const isRefusal = error instanceof Problem && error.status < 500;
  return !isRefusal && tries < 20;
}

/** What a page needs first, all at once: while the answers come, the page is made. */
function askAhead(path: string): void {
  void client.prefetchQuery(queries.me());
  const room = /^\/rooms\/([a-z0-9_-]+)/.exec(path)?.[1];
  if (!room) return;
  void client.prefetchQuery(queries.room(room));
  void client.prefetchQuery(queries.extensions(room));
}

askAhead(window.location.pathname);
