import { Anchor, Center, Stack, Text, Title } from "@mantine/core";
import { Link } from "wouter";

export function NotFound() {
  return (
    <Center mih={300}>
      <Stack align="center" gap="xs">
        <Title order={1} size="h3">
          Page not found
        </Title>
        <Text c="dimmed">The address may be mistyped, or the page may have been removed.</Text>
        <Anchor component={Link} href="~/">
          All rooms
        </Anchor>
      </Stack>
    </Center>
  );
}
