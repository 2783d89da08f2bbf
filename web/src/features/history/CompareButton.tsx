import { Button } from "@mantine/core";
import { IconColumns2 } from "@tabler/icons-react";
import { MAX_COMPARED } from "./filter";

/** Shows how many jobs are selected. The width is fixed, so that the bar does not jump. */
export function CompareButton({ picked, compare }: { picked: number; compare: () => void }) {
  const isReady = picked >= 2 && picked <= MAX_COMPARED;
  return (
    <Button
      variant={isReady ? "filled" : "default"}
      leftSection={<IconColumns2 size={16} />}
      disabled={!isReady}
      onClick={compare}
      w={170}
      px="xs"
    >
      {labelOf(picked)}
    </Button>
  );
}

function labelOf(picked: number): string {
  if (picked < 2) return `Compare (${picked}/2)`;
  if (picked > MAX_COMPARED) return `Compare (${MAX_COMPARED} at most)`;
  return picked === 2 ? "Compare" : `Compare ${picked}`;
}
