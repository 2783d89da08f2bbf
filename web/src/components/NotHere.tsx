import { Anchor, Center, Stack, Text, Title } from "@mantine/core";
import { Link } from "wouter";

export function NotHere() {
  return (
    <Center mih={300}>
      <Stack align="center" gap="xs">
        <Title order={1} size="h3">
          There is nothing here
        </Title>
        <Text c="dimmed">The address may be mistyped, or what was here is gone.</Text>
        <Anchor component={Link} href="~/">
          All rooms
        </Anchor>
      </Stack>
    </Center>
  );
}
