import { Alert, Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, got } from "@/api/client";
import { CopyLine } from "@/components/CopyLine";

/** For a machine that should know no name and no password: a code that works once, for this room alone. */
export function PairingCode({ room }: { room: string }) {
  const pairing = useMutation({
    mutationFn: () =>
      got(api.POST("/api/rooms/{room}/pair", { params: { path: { room } }, body: { seconds: 600 } })),
  });
  return (
    <>
      <Text size="sm">
        Or pair a machine that is not yours: it needs neither a name nor a password, only a code that works
        once.
      </Text>
      {pairing.error && (
        <Alert color="red" role="alert">
          {pairing.error.message}
        </Alert>
      )}
      {pairing.data ? (
        <>
          <CopyLine
            text={`workroom join ${pairing.data.code} tools.py --url ${window.location.origin}`}
            label="the pairing command"
          />
          <Text size="xs" c="dimmed">
            Good until {new Date(pairing.data.expires_at).toLocaleTimeString()}.
          </Text>
        </>
      ) : (
        <Button
          variant="default"
          loading={pairing.isPending}
          onClick={() => pairing.mutate()}
          style={{ alignSelf: "flex-start" }}
        >
          Make a pairing code
        </Button>
      )}
    </>
  );
}
