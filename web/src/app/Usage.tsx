import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import { formatBytes } from "@/components/format";

/** My usage of each quota, without those at zero. */
export function Usage() {
  const { data: usage } = useQuery(queries.usage());
  const shown = Object.entries(usage ?? {}).filter(([, { used }]) => used > 0);
  if (shown.length === 0) return null;
  return (
    <Stack gap={2} px="sm" pb="xs">
      {shown.map(([kind, { used, limit }]) => (
        <Group key={kind} justify="space-between" gap="xs" wrap="nowrap">
          <Text size="xs" c="dimmed">
            {kind}
          </Text>
          <Text size="xs" c={limit !== null && used >= limit ? "red" : undefined}>
            {amount(kind, used)}
            {limit !== null && ` of ${amount(kind, limit)}`}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}

function amount(kind: string, count: number): string {
  return kind === "bytes" ? formatBytes(count) : count.toLocaleString("en");
}
