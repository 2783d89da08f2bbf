import { Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import { SERVER_URL } from "@/api/mount";
import { CopyableCode } from "@/components/CopyableCode";
import { Refusal } from "@/components/Refusal";

/** Creates a one-time code that lets a machine join this room without a name or password. */
export function PairingCode({ room }: { room: string }) {
  const pairing = useMutation({
    mutationFn: () =>
      dataOf(api.POST("/api/rooms/{room}/pair", { params: { path: { room } }, body: { seconds: 600 } })),
  });
  return (
    <>
      <Text size="sm">
        Or pair a machine that is not yours. It needs no name and no password, only a code that works once.
      </Text>
      <Refusal error={pairing.error} />
      {pairing.data ? (
        <>
          <CopyableCode
            text={`workroom join ${pairing.data.code} tools.py --url ${SERVER_URL}`}
            label="the pairing command"
          />
          <Text size="xs" c="dimmed">
            Valid until {new Date(pairing.data.expires_at).toLocaleTimeString()}.
          </Text>
        </>
      ) : (
        <Button
          variant="default"
          loading={pairing.isPending}
          onClick={() => pairing.mutate()}
          style={{ alignSelf: "flex-start" }}
        >
          Create a pairing code
        </Button>
      )}
    </>
  );
}
