import { Button, CloseButton, Group, Paper, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerStop, IconRefresh, IconStar } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import type { Action } from "@/api/schema";
import { outcomeOf } from "@/components/bulk";
import { Confirm } from "@/components/Confirm";
import { pluralize } from "@/components/format";
import { notify, notifyError } from "@/components/notify";

/** What can be done with the selected jobs of any rooms, all at once. */
export function JobActions({ ids, clear }: { ids: string[]; clear: () => void }) {
  const client = useQueryClient();
  const [isAsking, { open: ask, close }] = useDisclosure();
  const acting = useMutation({
    mutationFn: (action: Action) =>
      dataOf(api.POST("/api/admin/jobs/actions", { body: { action, jobs: ids, tags: [] } })),
    onSuccess: ({ items }, action) => notify(outcomeOf(action, items)),
    onError: notifyError,
    onSettled: () => {
      close();
      return client.invalidateQueries({ queryKey: ["admin", "jobs"] });
    },
  });
  const button = (
    action: Action,
    label: string,
    Icon: typeof IconStar,
    click = () => acting.mutate(action),
  ) => (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon size={14} />}
      loading={acting.isPending && acting.variables === action}
      disabled={acting.isPending}
      onClick={click}
    >
      {label}
    </Button>
  );
  return (
    <Paper withBorder p="xs" role="toolbar" aria-label="Selected jobs">
      <Group gap="xs">
        <CloseButton aria-label="Clear the selection" onClick={clear} />
        <Text size="sm" fw={550} mr="xs" aria-live="polite">
          {ids.length} selected
        </Text>
        {button("retry", "Run again", IconRefresh)}
        {button("cancel", "Cancel", IconPlayerStop, ask)}
        {button("star", "Star", IconStar)}
      </Group>
      <Confirm
        title="Cancel the selected jobs"
        action={`Cancel ${pluralize(ids.length, "job")}`}
        color="red"
        isOpen={isAsking}
        isBusy={acting.isPending}
        close={close}
        confirm={() => acting.mutate("cancel")}
      >
        <Text size="sm">Jobs that run are stopped. Those that have ended stay as they are.</Text>
      </Confirm>
    </Paper>
  );
}
