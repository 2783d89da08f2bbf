import { Spotlight, type SpotlightActionGroupData, spotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { queries } from "@/api/queries";
import { groupTools, pathOf, summaryOf, titleOf } from "@/components/tools";

const PAGES = [
  { id: "history", label: "History", path: "/history" },
  { id: "fleet", label: "Workers", path: "/fleet" },
  { id: "rooms", label: "All rooms", path: "~/" },
];

/** Finds tools and pages by a few letters. Opens as soon as it is loaded. */
export default function Palette({ room }: { room: string }) {
  const { data = [] } = useQuery(queries.extensions(room));
  const [, go] = useLocation();
  useEffect(spotlight.open, []);
  const tools: SpotlightActionGroupData[] = groupTools(data).map(({ name, tools }) => ({
    group: name,
    actions: tools.map((tool) => ({
      id: `${tool.category}/${tool.name}`,
      label: titleOf(tool.name),
      description: summaryOf(tool.schema),
      onClick: () => go(pathOf(tool)),
    })),
  }));
  const pages = {
    group: "Go to",
    actions: PAGES.map(({ path, ...each }) => ({ ...each, onClick: () => go(path) })),
  };
  return (
    <Spotlight
      actions={[...tools, pages]}
      shortcut={["mod + K"]}
      attributes={{ content: { "aria-label": "Palette" } }}
      nothingFound="Nothing found"
      scrollable
      highlightQuery
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: "Go to a tool or a page",
        "aria-label": "Go to",
      }}
    />
  );
}
