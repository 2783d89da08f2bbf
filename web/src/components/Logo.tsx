import { Group, Text } from "@mantine/core";
import { mounted } from "@/api/mount";

/** Below the breakpoint `textFrom`, only the icon is shown. */
export function Logo({ size = 24, textFrom }: { size?: number; textFrom?: "sm" }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <img src={mounted("/icon.svg")} width={size} height={size} alt="" />
      <Text visibleFrom={textFrom} fw={650} fz={size * 0.7} lts={-0.3}>
        Workroom
      </Text>
    </Group>
  );
}
