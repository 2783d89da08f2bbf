import { Badge, Box, Group, Table, Text, Title } from "@mantine/core";
import type { ExtensionActivity } from "@/api/schema";
import { formatDuration } from "@/components/format";
import { Sparkline } from "@/components/Sparkline";
import { busiest, endedOf, failureRates, percent } from "./activity";
import { Nothing } from "./Page";

/** Queues and failures of each tool. */
export function ToolTable({ extensions }: { extensions: ExtensionActivity[] }) {
  return (
    <section aria-label="Tools">
      <Title order={2} size="h4" mb="xs">
        Tools
      </Title>
      {extensions.length === 0 ? (
        <Nothing>There are no tools yet.</Nothing>
      ) : (
        <Table.ScrollContainer minWidth={640}>
          <Table verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Tool</Table.Th>
                <Table.Th ta="right">Pending</Table.Th>
                <Table.Th ta="right">Oldest</Table.Th>
                <Table.Th ta="right">Ended</Table.Th>
                <Table.Th ta="right">Failed</Table.Th>
                <Table.Th w={160}>Failures over time</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {busiest(extensions).map((each) => (
                <Row key={`${each.scope} ${each.name}`} tool={each} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </section>
  );
}

function Row({ tool }: { tool: ExtensionActivity }) {
  const failed = percent(tool.failure_rate);
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text size="sm">{tool.name}</Text>
          {tool.scope === "room" && (
            <Badge variant="light" color="gray">
              in rooms
            </Badge>
          )}
          {tool.paused && (
            <Badge variant="light" color="yellow">
              paused
            </Badge>
          )}
          {tool.circuit_open && (
            <Badge variant="light" color="red">
              circuit open
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td ta="right">{tool.pending}</Table.Td>
      <Table.Td ta="right">{tool.oldest_ms === null ? "–" : formatDuration(tool.oldest_ms)}</Table.Td>
      <Table.Td ta="right">{endedOf(tool)}</Table.Td>
      <Table.Td ta="right">{failed}</Table.Td>
      <Table.Td>
        <Box w={140}>
          <Sparkline values={failureRates(tool)} color="red" label={`Failures of ${tool.name}: ${failed}`} />
        </Box>
      </Table.Td>
    </Table.Tr>
  );
}
