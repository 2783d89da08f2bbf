import { Alert, Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

/** The server's error message, with a button to try again. */
export function ErrorMessage({ error, retry }: { error: Error; retry?: () => unknown }) {
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
