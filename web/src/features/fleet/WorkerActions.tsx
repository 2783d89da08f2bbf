import { ActionIcon, Menu, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots, IconPlayerPause, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import type { Worker } from "@/api/schema";
import { Confirm } from "@/components/Confirm";
import { pluralize } from "@/components/format";
import { notify, notifyError } from "@/components/notify";

interface Props {
  worker: Worker;
  mayManage: boolean;
  /** The room to dismiss the worker from, or `null` to remove the worker itself. */
  room: string | null;
}

/** For the worker's user, admins, and the owner of a room that it serves. */
export function WorkerActions({ worker, mayManage, room }: Props) {
  const [isRemoving, { open, close }] = useDisclosure();
  const drain = useDrain(worker);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${worker.name}`}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayManage && (
            <>
              {worker.draining ? (
                <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => drain.mutate(false)}>
                  Resume
                </Menu.Item>
              ) : (
                <Menu.Item leftSection={<IconPlayerPause size={16} />} onClick={() => drain.mutate(true)}>
                  Drain (no new jobs)
                </Menu.Item>
              )}
              <Menu.Divider />
            </>
          )}
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={open}>
            {room === null ? "Remove…" : "Dismiss from this room…"}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmRemoval worker={worker} room={room} isOpen={isRemoving} close={close} />
    </>
  );
}

function useDrain(worker: Worker) {
  return useMutation({
    mutationFn: (draining: boolean) =>
      dataOf(
        api.POST("/api/workers/{worker_id}/drain", {
          params: { path: { worker_id: worker.id }, query: { draining } },
        }),
      ),
    onSuccess: (_, draining) =>
      notify(
        draining ? `${worker.name} finishes its jobs and gets no new ones` : `${worker.name} gets jobs again`,
      ),
    onError: notifyError,
  });
}

interface RemovalProps {
  worker: Worker;
  room: string | null;
  isOpen: boolean;
  close: () => void;
}

function ConfirmRemoval({ worker, room, isOpen, close }: RemovalProps) {
  const client = useQueryClient();
  const removing = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE("/api/workers/{worker_id}", {
          params: { path: { worker_id: worker.id }, query: room === null ? {} : { room } },
        }),
      ),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["workers"] });
      close();
    },
  });
  const held = worker.assigned_jobs + worker.running_jobs;
  return (
    <Confirm
      title={room === null ? `Remove ${worker.name}` : `Dismiss ${worker.name}`}
      action={room === null ? "Remove" : "Dismiss"}
      color="red"
      isOpen={isOpen}
      isBusy={removing.isPending}
      error={removing.error}
      close={close}
      confirm={() => removing.mutate()}
    >
      <Text size="sm">
        {room === null
          ? "The worker is removed and its process ends, even if it is running jobs."
          : `The worker leaves this room, even if it is running jobs. Its user, ${worker.user}, needs your consent to return.`}
        {held > 0 &&
          ` It has ${pluralize(held, "job")}. Jobs that have started are lost and fail, unless their tool retries.`}
      </Text>
    </Confirm>
  );
}
