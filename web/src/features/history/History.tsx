import { Group, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useState } from "react";
import { useSearchParams } from "wouter";
import { queries } from "@/api/queries";
import { CompareButton } from "./CompareButton";
import { Filters } from "./Filters";
import { comparedIn, filterOf, MAX_COMPARED, withParam } from "./filter";
import { JobList } from "./JobList";
import { RetryFailed } from "./RetryFailed";

const Compare = lazy(() => import("./compare/Compare"));

/** All jobs of the room, newest first. Filters are kept in the address. */
export default function History({ room }: { room: string }) {
  const { data: me } = useQuery(queries.me());
  const [address, setAddress] = useSearchParams();
  const [picked, setPicked] = useState<string[]>([]);
  const filter = filterOf(address, me?.user);
  const compared = comparedIn(address);
  const change = (name: string, value: string | null) => setAddress((now) => withParam(now, name, value));
  const pick = useCallback((id: string) => setPicked((ids) => toggle(ids, id)), []);
  const canRetry = !filter.user && (!filter.status || filter.status === "failed");
  return (
    <Stack gap="sm">
      <Title order={1} size="h2">
        History
      </Title>
      <Group justify="space-between" gap="xs">
        <Filters room={room} filter={filter} user={address.get("user")} change={change} />
        <Group gap="xs">
          {canRetry && <RetryFailed room={room} extension={filter.extension} />}
          <CompareButton picked={picked.length} compare={() => change("compare", picked.join(","))} />
        </Group>
      </Group>
      <JobList key={JSON.stringify(filter)} room={room} filter={filter} picked={picked} pick={pick} />
      <Suspense>{compared && <Compare ids={compared} close={() => change("compare", null)} />}</Suspense>
    </Stack>
  );
}

/** Of too many, the first leaves. */
function toggle(ids: string[], id: string): string[] {
  return ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id].slice(-MAX_COMPARED);
}
