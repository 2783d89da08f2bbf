import { Box, NavLink, Skeleton, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useRoute } from "wouter";
import { queries } from "@/api/queries";
import type { Extension } from "@/api/schema";
import { groupTools, pathOf, titleOf } from "@/components/tools";
import { ToolNumbers } from "./ToolNumbers";

export function ToolList({ room }: { room: string }) {
  const extensions = useQuery(queries.extensions(room));
  const [search, setSearch] = useState("");
  if (!extensions.data) return <Skeleton h={200} mt="md" />;
  const categories = groupTools(extensions.data, search);
  return (
    <Box component="nav" aria-label="Tools" mt="sm">
      <TextInput
        aria-label="Search tools"
        placeholder="Search tools"
        size="xs"
        leftSection={<IconSearch size={14} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        mb="xs"
      />
      {categories.map(({ name, tools }) => (
        <Box key={name} mb="xs">
          <Text size="xs" fw={600} c="dimmed" px="sm" py={4} tt="capitalize">
            {name}
          </Text>
          {tools.map((tool) => (
            <ToolLink key={tool.name} tool={tool} />
          ))}
        </Box>
      ))}
      {categories.length === 0 && (
        <Text size="sm" c="dimmed" px="sm">
          {search ? "No matching tools." : "No tools yet."}
        </Text>
      )}
    </Box>
  );
}

function ToolLink({ tool }: { tool: Extension }) {
  const path = pathOf(tool);
  const [isHere] = useRoute(path);
  return (
    <NavLink
      component={Link}
      href={path}
      label={titleOf(tool.name)}
      active={isHere}
      aria-current={isHere ? "page" : undefined}
      py={6}
      rightSection={<ToolNumbers tool={tool} />}
    />
  );
}
