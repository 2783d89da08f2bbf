import { Group, Select, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type JobFilter, queries } from "@/api/queries";
import { STATES } from "@/components/state";
import { titleOf } from "@/components/tools";
import { MINE } from "./filter";

interface Props {
  room: string;
  filter: JobFilter;
  user: string | null;
  change: (name: string, value: string | null) => void;
}

export function Filters({ room, filter, user, change }: Props) {
  const tools = useTools(room, filter.extension);
  return (
    <Group gap="xs" role="search" aria-label="Filter jobs">
      <Select
        aria-label="State"
        placeholder="Any state"
        data={STATES}
        value={filter.status ?? null}
        onChange={(value) => change("status", value)}
        clearable
        w={140}
      />
      <Select
        aria-label="Tool"
        placeholder="Any tool"
        data={tools}
        value={filter.extension ?? null}
        onChange={(value) => change("extension", value)}
        clearable
        searchable
        w={200}
      />
      <Switch
        label={user && user !== MINE ? `Only ${user}'s` : "Only mine"}
        checked={user !== null}
        onChange={(event) => change("user", event.currentTarget.checked ? MINE : null)}
      />
    </Group>
  );
}

/** Includes the selected tool even if it has left the room, because its jobs remain. */
function useTools(room: string, selected: string | undefined) {
  const { data = [] } = useQuery(queries.extensions(room));
  const here = data
    .filter(({ category }) => category !== "settings")
    .map(({ category, name }) => `${category}/${name}`);
  const all = selected && !here.includes(selected) ? [selected, ...here] : here;
  return all.map((value) => ({ value, label: titleOf(value.slice(value.indexOf("/") + 1)) }));
}
