import { Group, Text } from "@mantine/core";

export function Logo({ size = 24 }: { size?: number }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <img src="/icon.svg" width={size} height={size} alt="" />
      <Text fw={650} fz={size * 0.7} lts={-0.3}>
        Workroom
      </Text>
    </Group>
  );
}
