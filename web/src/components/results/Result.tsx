import { Text } from "@mantine/core";
import { ContentView } from "./ContentView";
import { contentOf } from "./content";

/** The return value of `run()`. A large one is stored as an artifact instead. */
export function Result({ value }: { value: unknown }) {
  if (value === null)
    return (
      <Text size="sm" c="dimmed">
        No return value.
      </Text>
    );
  return (
    <section aria-label="Result">
      <ContentView content={contentOf(value)} name="Result" />
    </section>
  );
}
