import { Button, Container, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { ErrorMessage } from "@/components/ErrorMessage";

interface Loaded {
  isPending: boolean;
  error: Error | null;
  refetch: () => unknown;
}

interface Props {
  title: string;
  query: Loaded;
  actions?: ReactNode;
  children: ReactNode;
}

/** A title with actions, and the content once it is loaded. */
export function Page({ title, query, actions, children }: Props) {
  return (
    <Container size="xl" p={0}>
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={1} size="h2">
            {title}
          </Title>
          {actions}
        </Group>
        {query.error && <ErrorMessage error={query.error} retry={query.refetch} />}
        {query.isPending ? <Skeleton h={240} /> : children}
      </Stack>
    </Container>
  );
}

interface MoreProps {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

export function More({ hasNextPage, isFetchingNextPage, fetchNextPage }: MoreProps) {
  if (!hasNextPage) return null;
  return (
    <Group justify="center">
      <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
        Show more
      </Button>
    </Group>
  );
}

export function Nothing({ children }: { children: ReactNode }) {
  return (
    <Text c="dimmed" py="lg" ta="center">
      {children}
    </Text>
  );
}
