import { Badge, Group } from "@mantine/core";
import { IconCpu } from "@tabler/icons-react";
import type { Extension } from "@/api/schema";
import { formatAgo, pluralize } from "@/components/format";
import { useNow } from "@/components/RelativeTime";

/** The number of workers and of pending jobs. */
export function ToolNumbers({ tool }: { tool: Extension }) {
  const now = useNow(10_000);
  if (tool.category === "settings") return null;
  const workers = tool.idle_workers + tool.busy_workers;
  const state = tool.away_since
    ? `last worker left ${formatAgo(now - Date.parse(tool.away_since))}`
    : `${pluralize(workers, "worker")}, ${tool.idle_workers} idle`;
  const label = `${state}; ${pluralize(tool.pending_jobs, "job")} pending`;
  return (
    <Group gap={4} wrap="nowrap" aria-label={label} title={label} role="img">
      {tool.pending_jobs > 0 && (
        <Badge size="sm" variant="light" color="gray">
          {tool.pending_jobs}
        </Badge>
      )}
      <Badge
        size="sm"
        variant="light"
        color={workers === 0 ? "orange" : tool.idle_workers > 0 ? "teal" : "blue"}
        leftSection={<IconCpu size={11} />}
      >
        {workers}
      </Badge>
    </Group>
  );
}
