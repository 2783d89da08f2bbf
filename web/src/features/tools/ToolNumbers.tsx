import { Badge, Group } from "@mantine/core";
import { IconCpu } from "@tabler/icons-react";
import type { Extension } from "@/api/schema";
import { counted } from "@/components/words";

/** How many serve it, and how many wait for it. */
export function ToolNumbers({ tool }: { tool: Extension }) {
  if (tool.category === "settings") return null;
  const workers = tool.idle_workers + tool.busy_workers;
  const label = `${counted(workers, "worker")}, ${tool.idle_workers} free; ${counted(tool.pending_jobs, "job")} waiting`;
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
