import { Button } from "@mantine/core";
import { IconColumns2 } from "@tabler/icons-react";

/** Says what is missing until two are picked; its width stays the same. */
export function CompareButton({ picked, compare }: { picked: number; compare: () => void }) {
  const isReady = picked === 2;
  return (
    <Button
      variant={isReady ? "filled" : "default"}
      leftSection={<IconColumns2 size={16} />}
      disabled={!isReady}
      onClick={compare}
      w={190}
    >
      {isReady ? "Compare" : picked === 1 ? "Pick one more" : "Pick two to compare"}
    </Button>
  );
}
