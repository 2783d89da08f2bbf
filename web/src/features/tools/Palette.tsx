import { useMantineColorScheme } from "@mantine/core";
import {
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
  type SpotlightFilterFunction,
  spotlight,
} from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { queries } from "@/api/queries";
import { groupTools, pathOf, summaryOf, titleOf } from "@/components/tools";
import { fitness } from "./fuzzy";

const MAX_JOBS = 20;
const MAX_SHOWN = 30;

interface Props {
  room?: string;
  onKeys: () => void;
}

/** Finds tools, rooms, jobs and actions by a few letters. Opens as soon as it is loaded. */
export default function Palette({ room, onKeys }: Props) {
  const rooms = useRooms(room);
  const actions = useActions(room, onKeys);
  const tools = useTools(room);
  const jobs = useJobs(room);
  useEffect(spotlight.open, []);
  return (
    <Spotlight
      actions={[...tools, actions, rooms, jobs].filter(({ actions: each }) => each.length)}
      filter={filter}
      shortcut={["mod + K"]}
      attributes={{ content: { "aria-label": "Palette" } }}
      nothingFound="Nothing found"
      scrollable
      limit={MAX_SHOWN}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: "Go to a tool, room, job or action",
        "aria-label": "Go to",
      }}
    />
  );
}

/** The best first. Without a query, everything in its order. */
const filter: SpotlightFilterFunction = (query, actions) => {
  if (!query.trim()) return actions;
  const groups = (actions as SpotlightActionGroupData[]).map(({ group, actions: each }) => {
    const found = each
      .map((action) => ({
        action,
        score: Math.max(fitness(query, textOf(action)) * 2, fitness(query, moreOf(action))),
      }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    return { group, best: found[0]?.score ?? 0, actions: found.map(({ action }) => action) };
  });
  return groups.filter(({ best }) => best > 0).sort((a, b) => b.best - a.best);
};

function textOf({ label }: SpotlightActionData): string {
  return label ?? "";
}

function moreOf({ label, description, keywords }: SpotlightActionData): string {
  return [label, description, keywords].flat().join(" ");
}

function useTools(room: string | undefined): SpotlightActionGroupData[] {
  const { data = [] } = useQuery({ ...queries.extensions(room ?? ""), enabled: room !== undefined });
  const [, go] = useLocation();
  return groupTools(data).map(({ name, tools }) => ({
    group: name,
    actions: tools.map((tool) => ({
      id: `${tool.category}/${tool.name}`,
      label: titleOf(tool.name),
      description: summaryOf(tool.schema),
      onClick: () => go(pathOf(tool)),
    })),
  }));
}

function useRooms(current: string | undefined): SpotlightActionGroupData {
  const { data } = useInfiniteQuery(queries.rooms());
  const [, go] = useLocation();
  const rooms = data?.pages.flatMap((page) => page.items) ?? [];
  return {
    group: "Rooms",
    actions: rooms
      .filter(({ name }) => name !== current)
      .map(({ name, title }) => ({
        id: `room ${name}`,
        label: title || name,
        description: title ? name : undefined,
        keywords: "room",
        onClick: () => go(`~/rooms/${encodeURIComponent(name)}`),
      })),
  };
}

function useJobs(room: string | undefined): SpotlightActionGroupData {
  const { data } = useInfiniteQuery({ ...queries.jobs(room ?? ""), enabled: room !== undefined });
  const [, go] = useLocation();
  const jobs = data?.pages[0]?.items.slice(0, MAX_JOBS) ?? [];
  return {
    group: "Latest jobs",
    actions: jobs.map(({ id, name, status }) => ({
      id: `job ${id}`,
      label: `${titleOf(name)}, ${status}`,
      description: id,
      keywords: "job",
      onClick: () => go(`/jobs/${id}`),
    })),
  };
}

function useActions(room: string | undefined, onKeys: () => void): SpotlightActionGroupData {
  const [, go] = useLocation();
  const { toggleColorScheme } = useMantineColorScheme();
  const pages = [
    { id: "history", label: "History", path: "/history" },
    { id: "fleet", label: "Workers", path: "/fleet" },
  ];
  return {
    group: "Go to",
    actions: [
      ...(room ? pages.map(({ path, ...each }) => ({ ...each, onClick: () => go(path) })) : []),
      { id: "rooms", label: "All rooms", onClick: () => go("~/") },
      {
        id: "theme",
        label: "Switch between light and dark",
        keywords: "theme colour",
        onClick: toggleColorScheme,
      },
      { id: "keys", label: "Keyboard shortcuts", keywords: "keys help", onClick: onKeys },
    ],
  };
}
