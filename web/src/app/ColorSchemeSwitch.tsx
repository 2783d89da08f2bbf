import { ActionIcon, Menu, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconMoon, IconSun } from "@tabler/icons-react";

export function ColorSchemeSwitch() {
  const { label, toggle, Icon } = useSwitch();
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" visibleFrom="sm" aria-label={label} onClick={toggle}>
      <Icon size={18} stroke={1.6} />
    </ActionIcon>
  );
}

/** On a phone the header has no room for it. */
export function ColorSchemeItem() {
  const { label, toggle, Icon } = useSwitch();
  return (
    <Menu.Item hiddenFrom="sm" leftSection={<Icon size={16} />} onClick={toggle}>
      {label}
    </Menu.Item>
  );
}

function useSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  return {
    label: isDark ? "Light colours" : "Dark colours",
    toggle: () => setColorScheme(isDark ? "light" : "dark"),
    Icon: isDark ? IconSun : IconMoon,
  };
}
