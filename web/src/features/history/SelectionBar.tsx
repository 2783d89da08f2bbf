import { Button, CloseButton, Group, Paper, Text } from "@mantine/core";
import { IconPlayerStop, IconRefresh, IconStar } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import type { Action, JobEntries } from "@/api/schema";
import { notify, notifyError } from "@/components/notify";
import { outcomeOf } from "./bulk";
import { ExportButton } from "./ExportButton";
import classes from "./History.module.css";
import { TagMenu } from "./TagMenu";
import type { Selection } from "./useSelection";

/** What can be done with the selected jobs, all at once. */
export function SelectionBar({ room, selection }: { room: string; selection: Selection }) {
  const acting = useMutation({
    mutationFn: ({ action, tags }: { action: Action; tags?: string[] }) =>
      act(room, action, selection.ids, tags),
    onSuccess: ({ items }, { action }) => notify(outcomeOf(action, items)),
    onError: notifyError,
  });
  const button = (action: Action, label: string, Icon: typeof IconStar) => (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon size={14} />}
      loading={acting.isPending && acting.variables.action === action}
      disabled={acting.isPending}
      onClick={() => acting.mutate({ action })}
    >
      {label}
    </Button>
  );
  return (
    <Paper
      withBorder
      shadow="sm"
      p="xs"
      className={classes.selection}
      role="toolbar"
      aria-label="Selected jobs"
    >
      <Group gap="xs">
        <CloseButton aria-label="Clear the selection" onClick={selection.clear} />
        <Text size="sm" fw={550} mr="xs" aria-live="polite">
          {selection.ids.length} selected
        </Text>
        {button("retry", "Run again", IconRefresh)}
        {button("cancel", "Cancel", IconPlayerStop)}
        {button("star", "Star", IconStar)}
        <TagMenu isBusy={acting.isPending} tag={(action, tag) => acting.mutate({ action, tags: [tag] })} />
        <ExportButton size="xs" room={room} filter={{}} ids={selection.ids} />
      </Group>
    </Paper>
  );
}

function act(room: string, action: Action, jobs: string[], tags: string[] = []): Promise<JobEntries> {
  return dataOf(
    api.POST("/api/rooms/{room}/jobs/actions", { params: { path: { room } }, body: { action, jobs, tags } }),
  );
}
