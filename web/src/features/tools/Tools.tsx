import { Anchor, Code, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { queries } from "@/api/queries";
import type { Extension } from "@/api/schema";
import { EmptyState } from "@/components/EmptyState";
import { ErrorMessage } from "@/components/ErrorMessage";
import { Loading } from "@/components/Loading";
import { groupTools, pathOf, summaryOf, titleOf } from "@/components/tools";
import { ToolNumbers } from "./ToolNumbers";

export function Tools({ room }: { room: string }) {
  const extensions = useQuery(queries.extensions(room));
  if (extensions.isPending) return <Loading />;
  if (extensions.isError) return <ErrorMessage error={extensions.error} retry={extensions.refetch} />;
  if (extensions.data.length === 0)
    return (
      <EmptyState title="No tools in this room yet">
        Add one from any machine: write a class with <Code>run()</Code>, then run{" "}
        <Code>workroom worker tools.py --room {room}</Code>. It appears here at once.
      </EmptyState>
    );
  return (
    <Stack gap="xl">
      <Title order={1} size="h2">
        Tools
      </Title>
      {groupTools(extensions.data).map(({ name, tools }) => (
        <section key={name}>
          <Title order={2} size="h5" c="dimmed" tt="capitalize" mb="xs">
            {name}
          </Title>
          <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="sm">
            {tools.map((tool) => (
              <ToolCard key={tool.name} tool={tool} />
            ))}
          </SimpleGrid>
        </section>
      ))}
    </Stack>
  );
}

function ToolCard({ tool }: { tool: Extension }) {
  return (
    <Paper withBorder p="md" pos="relative">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Anchor component={Link} href={pathOf(tool)} fw={550} c="inherit" className="cover">
          {titleOf(tool.name)}
        </Anchor>
        <ToolNumbers tool={tool} />
      </Group>
      <Text size="sm" c="dimmed" mt={4} lineClamp={2}>
        {summaryOf(tool.schema)}
      </Text>
    </Paper>
  );
}
