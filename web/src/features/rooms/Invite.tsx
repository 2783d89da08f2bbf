import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import { CopyableCode } from "@/components/CopyableCode";
import { notify, notifyError } from "@/components/notify";

/** Creates codes that let people join the room. */
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
      notify("All invite codes of this room are withdrawn");
    },
    onError: notifyError,
  });
  return (
    <Stack gap="xs" component="section" aria-label="Invite">
      <Title order={3} size="h5">
        Invite
      </Title>
      {inviting.data && <CopyableCode text={inviting.data.code} label="the invite code" />}
      <Text size="sm" c="dimmed">
        {inviting.data
          ? `Anyone with this code can join the room until ${new Date(inviting.data.expires_at).toLocaleDateString()}.`
          : "Anyone with an invite code can join the room. A code is valid for a week."}
      </Text>
      <Group gap="xs">
        <Button variant="default" loading={inviting.isPending} onClick={() => inviting.mutate()}>
          {inviting.data ? "Create another code" : "Create an invite code"}
        </Button>
        <Button
          variant="subtle"
          color="gray"
          loading={withdrawing.isPending}
          onClick={() => withdrawing.mutate()}
        >
          Withdraw all codes
        </Button>
      </Group>
    </Stack>
  );
}
