import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Problem } from "@/api/problem";
import { Entrance } from "./Entrance";
import { theme } from "./theme";

const client = new QueryClient({
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

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Notifications position="bottom-right" />
      <QueryClientProvider client={client}>
        <Entrance />
      </QueryClientProvider>
    </MantineProvider>
  );
}
