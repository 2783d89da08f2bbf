import { Badge, Progress, Group as Row } from "@mantine/core";
import type { Group } from "@/api/schema";
import { COLOURS, STATES } from "@/components/state";

/** How many jobs are in each state, as a bar and in numbers. */
export function Counts({ group: { counts, total } }: { group: Group }) {
  const present = STATES.filter((state) => counts[state] > 0);
  return (
    <div>
      <Progress.Root size="md" aria-hidden>
        {present
          .filter((state) => state !== "pending")
          .toSorted((a, b) => STATES.indexOf(b) - STATES.indexOf(a))
          .map((state) => (
            <Progress.Section key={state} value={(counts[state] / total) * 100} color={COLOURS[state]} />
          ))}
      </Progress.Root>
      <Row
        gap={6}
        mt="xs"
        component="ul"
        p={0}
        m={0}
        style={{ listStyle: "none" }}
        aria-label="Jobs by state"
      >
        {present.map((state) => (
          <li key={state}>
            <Badge color={COLOURS[state]} variant="light">
              {`${counts[state].toLocaleString("en")} ${state}`}
            </Badge>
          </li>
        ))}
      </Row>
    </div>
  );
}
