import { useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { queries } from "@/api/queries";

const APPEARANCE = { category: "settings", name: "Appearance" };
const SCHEMES = { system: "auto", light: "light", dark: "dark" } as const;
const DENSE_SCALE = "0.875";

/** Applies what the user has saved in a tool `settings/Appearance`, if the room has one: `theme` and `dense`. */
export function useAppearance(room: string): void {
  const { data: exists = false } = useQuery({
    ...queries.extensions(room),
    select: ({ items }) =>
      items.some(({ category, name }) => category === APPEARANCE.category && name === APPEARANCE.name),
  });
  const { data: saved } = useQuery({ ...queries.values(room, APPEARANCE), enabled: exists });
  const data = (saved ?? {}) as { theme?: unknown; dense?: unknown };
  const { setColorScheme } = useMantineColorScheme();
  const scheme = SCHEMES[data.theme as keyof typeof SCHEMES];
  useEffect(() => {
    if (scheme) setColorScheme(scheme);
  }, [scheme, setColorScheme]);
  const isDense = data.dense === true;
  useEffect(() => {
    const { style } = document.documentElement;
    if (isDense) style.setProperty("--mantine-scale", DENSE_SCALE);
    return () => {
      style.removeProperty("--mantine-scale");
    };
  }, [isDense]);
}
