import { Anchor, Group, Stack, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Link, useSearchParams } from "wouter";
import { hasCode } from "@/api/problem";
import { queries } from "@/api/queries";
import { CompareButton } from "./CompareButton";
import { ExportButton } from "./ExportButton";
import { Filters } from "./Filters";
import { comparedIn, filterOf, withParam } from "./filter";
import { JobList } from "./JobList";
import { RetryFailed } from "./RetryFailed";
import { SearchBox } from "./SearchBox";
import { useSelection } from "./useSelection";

const Compare = lazy(() => import("./compare/Compare"));

/** All jobs of the room, newest first. The search and the filters are kept in the address. */
export default function History({ room }: { room: string }) {
  const { data: me } = useQuery(queries.me());
  const [address, setAddress] = useSearchParams();
  const filter = filterOf(address, me?.user);
  const list = JSON.stringify([room, filter]);
  const selection = useSelection(list);
  const compared = comparedIn(address);
  const { error } = useInfiniteQuery({ ...queries.jobs(room, filter, 100), retry: !filter.q });
  const change = (name: string, value: string | null) => setAddress((now) => withParam(now, name, value));
  const search = (q: string) => {
    if (q !== (filter.q ?? "")) setAddress((now) => withParam(now, "q", q), { replace: true });
  };
  const canRetry = !filter.q && !filter.user && (!filter.status || filter.status === "failed");
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={1} size="h2">
          History
        </Title>
        <Anchor component={Link} href="/groups" size="sm">
          Groups
        </Anchor>
      </Group>
      <SearchBox query={filter.q ?? ""} error={filter.q ? sentenceOf(error) : undefined} search={search} />
      <Group justify="space-between" gap="xs">
        <Filters room={room} filter={filter} user={address.get("user")} change={change} />
        <Group gap="xs">
          {canRetry && <RetryFailed room={room} extension={filter.extension} />}
          <ExportButton room={room} filter={filter} />
          <CompareButton
            picked={selection.ids.length}
            compare={() => change("compare", selection.ids.join(","))}
          />
        </Group>
      </Group>
      <JobList key={list} room={room} filter={filter} selection={selection} />
      <Suspense>{compared && <Compare ids={compared} close={() => change("compare", null)} />}</Suspense>
    </Stack>
  );
}

/** Why a search cannot be understood, as a sentence. */
function sentenceOf(error: Error | null): string | undefined {
  if (!hasCode(error, "invalid_request") || !error) return undefined;
  return `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
}
