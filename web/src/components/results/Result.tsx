import { Text } from "@mantine/core";
import { Shown } from "./Shown";
import { seen } from "./thing";

/** What `run()` returned. One that is too large to send stands among the files. */
export function Result({ value }: { value: unknown }) {
  if (value === null)
    return (
      <Text size="sm" c="dimmed">
        It returned nothing.
      </Text>
    );
  return (
    <section aria-label="Result">
      <Shown thing={seen(value)} name="Result" />
    </section>
  );
}
