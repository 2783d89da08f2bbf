import { Badge } from "@mantine/core";
import type { JobState } from "@/api/schema";
import { COLOURS } from "./state";

export function StateBadge({ status }: { status: JobState }) {
  return (
    <Badge color={COLOURS[status]} variant="light" style={{ flexShrink: 0 }}>
      {status}
    </Badge>
  );
}
