import { ActionIcon, Menu, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots, IconPlayerPause, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, got } from "@/api/client";
import type { Worker } from "@/api/schema";
import { Confirm } from "@/components/Confirm";
import { tell, tellProblem } from "@/components/tell";
import { counted } from "@/components/words";

/** For its keeper and admins. */
export function WorkerActions({ worker }: { worker: Worker }) {
  const [isRemoving, { open, close }] = useDisclosure();
  const drain = useDrain(worker);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`What to do with ${worker.name}`}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {worker.draining ? (
            <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => drain.mutate(false)}>
              Give work again
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconPlayerPause size={16} />} onClick={() => drain.mutate(true)}>
              Drain: no new work
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={open}>
            Remove…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Removal worker={worker} isOpen={isRemoving} close={close} />
    </>
  );
}

function useDrain(worker: Worker) {
  return useMutation({
    mutationFn: (draining: boolean) =>
      got(
        api.POST("/api/workers/{worker_id}/drain", {
          params: { path: { worker_id: worker.id }, query: { draining } },
        }),
      ),
    onSuccess: (_, draining) =>
      tell(
        draining
          ? `${worker.name} finishes what it has and gets nothing new`
          : `${worker.name} gets work again`,
      ),
    onError: tellProblem,
  });
}

function Removal({ worker, isOpen, close }: { worker: Worker; isOpen: boolean; close: () => void }) {
  const client = useQueryClient();
  const removing = useMutation({
    mutationFn: () =>
      got(api.DELETE("/api/workers/{worker_id}", { params: { path: { worker_id: worker.id } } })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["workers"] });
      close();
    },
  });
  const held = worker.assigned_jobs + worker.running_jobs;
  return (
    <Confirm
      title={`Remove ${worker.name}`}
      action="Remove"
      color="red"
      isOpen={isOpen}
      isBusy={removing.isPending}
      error={removing.error}
      close={close}
      confirm={() => removing.mutate()}
    >
      <Text size="sm">
        It is forced out, whatever it is doing.
        {held > 0 &&
          ` It has ${counted(held, "job")}: what has begun is lost and fails, unless its tool tries again.`}
      </Text>
    </Confirm>
  );
}
