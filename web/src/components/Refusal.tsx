import { Alert } from "@mantine/core";

/** Why the server refused what the user did, if it did. */
export function Refusal({ error }: { error: Error | null | undefined }) {
  return (
    error && (
      <Alert color="red" role="alert">
        {error.message}
      </Alert>
    )
  );
}
