import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import type { MemberRole, Room } from "@/api/schema";
import { CopyableCode } from "@/components/CopyableCode";
import { linkOf } from "@/components/invite";
import { notify, notifyError } from "@/components/notify";

/** Creates links that let people join the room, or only view it. */
export function Invite({ room: { name: room, private: isPrivate } }: { room: Room }) {
  const path = { params: { path: { room } } };
  const inviting = useMutation({
    mutationFn: (role: MemberRole) =>
      dataOf(api.POST("/api/rooms/{room}/invite", { ...path, body: { seconds: 604_800, uses: 100, role } })),
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
  const button = (role: MemberRole, label: string) => (
    <Button
      variant="default"
      loading={inviting.isPending && inviting.variables === role}
      disabled={inviting.isPending}
      onClick={() => inviting.mutate(role)}
    >
      {label}
    </Button>
  );
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
          ? sentence(inviting.variables, inviting.data.expires_at)
          : "Anyone with an invite link can join the room. A link is valid for a week."}
      </Text>
      <Group gap="xs">
        {button("member", inviting.data ? "Create another link" : "Create an invite link")}
        {isPrivate && button("viewer", "Share a link for viewing")}
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

function sentence(role: MemberRole | undefined, until: string): string {
  const what = role === "viewer" ? "read everything in the room, and change nothing," : "join the room";
  return `Anyone with this link can ${what} until ${new Date(until).toLocaleDateString()}.`;
}
