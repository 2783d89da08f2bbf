import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import { CopyableCode } from "@/components/CopyableCode";
import { linkOf } from "@/components/invite";
import { notify, notifyError } from "@/components/notify";

/** Creates links that let people join the room. */
export function Invite({ room }: { room: string }) {
  const path = { params: { path: { room } } };
  const inviting = useMutation({
    mutationFn: () =>
      dataOf(api.POST("/api/rooms/{room}/invite", { ...path, body: { seconds: 604_800, uses: 100 } })),
    onError: notifyError,
  });
  const withdrawing = useMutation({
    mutationFn: () => dataOf(api.DELETE("/api/rooms/{room}/invite", path)),
    onSuccess: () => {
      inviting.reset();
      notify("All invites to this room are withdrawn");
    },
    onError: notifyError,
  });
  return (
    <Stack gap="xs" component="section" aria-label="Invite">
      <Title order={3} size="h5">
        Invite
      </Title>
      {inviting.data && (
        <CopyableCode text={linkOf({ room, code: inviting.data.code })} label="the invite link" />
      )}
      <Text size="sm" c="dimmed">
        {inviting.data
          ? `Anyone with this link can join the room until ${new Date(inviting.data.expires_at).toLocaleDateString()}.`
          : "Anyone with an invite link can join the room. A link is valid for a week."}
      </Text>
      <Group gap="xs">
        <Button variant="default" loading={inviting.isPending} onClick={() => inviting.mutate()}>
          {inviting.data ? "Create another link" : "Create an invite link"}
        </Button>
        <Button
          variant="subtle"
          color="gray"
          loading={withdrawing.isPending}
          onClick={() => withdrawing.mutate()}
        >
          Withdraw all links
        </Button>
      </Group>
    </Stack>
  );
}
