import { Center, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Explains why there is nothing to show, and what to do about it. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Center mih={200} p="md">
      <Stack gap={4} align="center" maw={460} ta="center">
        <Text fw={500}>{title}</Text>
        <Text c="dimmed" size="sm" component="div">
          {children}
        </Text>
      </Stack>
    </Center>
  );
}
