import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { Router } from "wouter";
import { mounted } from "@/api/mount";
import { AuthGate } from "./AuthGate";
import { client } from "./queryClient";
import { theme } from "./theme";
import { useMountedLocation } from "./useMountedLocation";

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Notifications position="bottom-right" />
      <QueryClientProvider client={client}>
        <Router hook={useMountedLocation} hrefs={mounted}>
          <AuthGate />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
