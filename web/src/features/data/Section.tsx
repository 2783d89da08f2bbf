import { Group, Skeleton, Stack, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorMessage } from "@/components/ErrorMessage";

interface Props<T> {
  title: string;
  query: UseQueryResult<T, Error>;
  actions?: ReactNode;
  children: (data: T) => ReactNode;
}

/** A part of the page, once its data is there. */
export function Section<T>({ title, query, actions, children }: Props<T>) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {title}
        </Title>
        {actions}
      </Group>
      {query.isError && <ErrorMessage error={query.error} retry={query.refetch} />}
      {query.isPending && <Skeleton h={80} />}
      {query.data !== undefined && children(query.data)}
    </Stack>
  );
}
