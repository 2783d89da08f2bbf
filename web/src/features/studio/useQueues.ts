import { useInfiniteQuery } from "@tanstack/react-query";
import { queries } from "@/api/queries";
import type { Group } from "@/api/schema";
import { queuesOf } from "./queue";

export function useQueues(room: string, user: string | undefined): Group[] {
  const { data } = useInfiniteQuery(queries.groups(room));
  return queuesOf(data?.pages.flatMap(({ items }) => items) ?? [], user);
}
