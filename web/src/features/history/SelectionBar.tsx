import { Button, CloseButton, Group, Paper, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerStop, IconRefresh, IconStar, IconStarOff } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import type { Action, Job, JobEntries } from "@/api/schema";
import { areStarred, outcomeOf } from "@/components/bulk";
import { Confirm } from "@/components/Confirm";
import { pluralize } from "@/components/format";
import { notify, notifyError } from "@/components/notify";
import { useIsViewer } from "@/components/ViewOnly";
import { ExportButton } from "./ExportButton";
import classes from "./History.module.css";
import { TagMenu } from "./TagMenu";
import type { Selection } from "./useSelection";

interface Props {
  room: string;
  selection: Selection;
  jobs: Job[];
}

/** What can be done with the selected jobs, all at once. */
export function SelectionBar({ room, selection, jobs }: Props) {
  const isViewer = useIsViewer(room);
  const [isAsking, { open: ask, close }] = useDisclosure();
  const acting = useMutation({
    mutationFn: ({ action, tags }: { action: Action; tags?: string[] }) =>
      send(room, action, selection.ids, tags),
    onSuccess: ({ items }, { action }) => notify(outcomeOf(action, items)),
    onError: notifyError,
  });
  const act = (action: Action) => acting.mutate({ action }, { onSettled: close });
  const button = (action: Action, label: string, Icon: typeof IconStar, click = () => act(action)) => (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon size={14} />}
      loading={acting.isPending && acting.variables.action === action}
      disabled={acting.isPending}
      onClick={click}
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
        {!isViewer && (
          <>
            {button("retry", "Run again", IconRefresh)}
            {button("cancel", "Cancel", IconPlayerStop, ask)}
            {areStarred(selection.ids, jobs)
              ? button("unstar", "Unstar", IconStarOff)
              : button("star", "Star", IconStar)}
            <TagMenu
              isBusy={acting.isPending}
              tag={(action, tag) => acting.mutate({ action, tags: [tag] })}
            />
          </>
        )}
        <ExportButton size="xs" room={room} filter={{}} ids={selection.ids} />
      </Group>
      <Confirm
        title="Cancel the selected jobs"
        action={`Cancel ${pluralize(selection.ids.length, "job")}`}
        color="red"
        isOpen={isAsking}
        isBusy={acting.isPending}
        close={close}
        confirm={() => act("cancel")}
      >
        <Text size="sm">Jobs that run are stopped. Those that have ended stay as they are.</Text>
      </Confirm>
    </Paper>
  );
}

function send(room: string, action: Action, jobs: string[], tags: string[] = []): Promise<JobEntries> {
  return dataOf(
    api.POST("/api/rooms/{room}/jobs/actions", { params: { path: { room } }, body: { action, jobs, tags } }),
  );
}
