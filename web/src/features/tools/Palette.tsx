import { Spotlight, type SpotlightActionGroupData, spotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { queries } from "@/api/queries";
import { grouped, pathOf, summaryOf, titleOf } from "@/components/tools";

const PLACES = [
  { id: "history", label: "History", path: "/history" },
  { id: "fleet", label: "Workers", path: "/fleet" },
  { id: "rooms", label: "All rooms", path: "~/" },
];

/** Go anywhere by a few letters. Who asked for it sees it at once. */
export default function Palette({ room }: { room: string }) {
  const { data = [] } = useQuery(queries.extensions(room));
  const [, go] = useLocation();
  useEffect(spotlight.open, []);
  const tools: SpotlightActionGroupData[] = grouped(data).map(({ name, tools }) => ({
    group: name,
    actions: tools.map((tool) => ({
      id: `${tool.category}/${tool.name}`,
      label: titleOf(tool.name),
      description: summaryOf(tool.schema),
      onClick: () => go(pathOf(tool)),
    })),
  }));
  const places = {
    group: "Go to",
    actions: PLACES.map(({ path, ...each }) => ({ ...each, onClick: () => go(path) })),
  };
  return (
    <Spotlight
      actions={[...tools, places]}
      shortcut={["mod + K"]}
      attributes={{ content: { "aria-label": "Palette" } }}
      nothingFound="Nothing has these letters"
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
