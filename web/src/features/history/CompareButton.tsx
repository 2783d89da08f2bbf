import { Button } from "@mantine/core";
import { IconColumns2 } from "@tabler/icons-react";

/** Shows how many jobs are selected. The width is fixed, so that the bar does not jump. */
export function CompareButton({ picked, compare }: { picked: number; compare: () => void }) {
  const isReady = picked >= 2;
  return (
    <Button
      variant={isReady ? "filled" : "default"}
      leftSection={<IconColumns2 size={16} />}
      disabled={!isReady}
      onClick={compare}
      w={170}
      px="xs"
    >
      {!isReady ? `Compare (${picked}/2)` : picked === 2 ? "Compare" : `Compare ${picked}`}
    </Button>
  );
}
