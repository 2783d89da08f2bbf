import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api, got } from "@/api/client";
import { CopyLine } from "@/components/CopyLine";
import { tell, tellProblem } from "@/components/tell";

/** A code that makes its holders members. */
export function Invite({ room }: { room: string }) {
  const path = { params: { path: { room } } };
  const inviting = useMutation({
    mutationFn: () =>
      got(api.POST("/api/rooms/{room}/invite", { ...path, body: { seconds: 604_800, uses: 100 } })),
    onError: tellProblem,
  });
  const withdrawing = useMutation({
    mutationFn: () => got(api.DELETE("/api/rooms/{room}/invite", path)),
    onSuccess: () => {
      inviting.reset();
      tell("No invite of this room lets anybody in any more");
    },
    onError: tellProblem,
  });
  return (
    <Stack gap="xs" component="section" aria-label="Invite">
      <Title order={3} size="h5">
        Invite
      </Title>
      {inviting.data && <CopyLine text={inviting.data.code} label="the invite code" />}
      <Text size="sm" c="dimmed">
        {inviting.data
          ? `Whoever has this code becomes a member, until ${new Date(inviting.data.expires_at).toLocaleDateString()}.`
          : "A code makes whoever has it a member, for a week."}
      </Text>
      <Group gap="xs">
        <Button variant="default" loading={inviting.isPending} onClick={() => inviting.mutate()}>
          {inviting.data ? "Make another code" : "Make an invite code"}
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
