import { Alert, Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

/** What went wrong, in the server's words, and a way to try again. */
export function Trouble({ error, retry }: { error: Error; retry?: () => unknown }) {
  const message = error instanceof TypeError ? "The server cannot be reached." : error.message;
  return (
    <Alert color="red" icon={<IconAlertTriangle />} role="alert" m="md">
      <Group justify="space-between">
        <Text size="sm">{message}</Text>
        {retry && (
          <Button size="xs" variant="default" onClick={() => retry()}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
