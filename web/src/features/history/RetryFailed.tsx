import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import type { JobEntries } from "@/api/schema";
import { Confirm } from "@/components/Confirm";
import { pluralize } from "@/components/format";
import { notify } from "@/components/notify";
import { titleOf } from "@/components/tools";
import { useIsViewer } from "@/components/ViewOnly";

const MAX_JOBS = 100;

export function RetryFailed({ room, extension }: { room: string; extension?: string }) {
  const [isOpen, { open, close }] = useDisclosure();
  const retrying = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/rooms/{room}/jobs/retry", {
          params: { path: { room }, query: { status: "failed", extension, limit: MAX_JOBS } },
        }),
      ),
    onSuccess: (response) => {
      notify(outcome(response.items));
      close();
    },
  });
  if (useIsViewer(room)) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconRefresh size={16} />} px="sm" onClick={open}>
        Retry all failed
      </Button>
      <Confirm
        title="Retry all failed"
        action="Retry"
        isOpen={isOpen}
        isBusy={retrying.isPending}
        error={retrying.error}
        close={close}
        confirm={() => retrying.mutate()}
      >
        <Text size="sm">
          This submits every failed job of{" "}
          {extension ? titleOf(extension.slice(extension.indexOf("/") + 1)) : "this room"} that has not been
          retried yet, up to the newest {MAX_JOBS}.
        </Text>
      </Confirm>
    </>
  );
}

export function outcome(entries: JobEntries["items"]): string {
  const refused = entries.flatMap((entry) => ("error" in entry ? [entry.error] : []));
  const accepted = entries.length - refused.length;
  if (entries.length === 0) return "There are no failed jobs left to retry.";
  const [first] = refused;
  const refusal = first ? ` ${refused.length} refused: ${first.detail || first.title}.` : "";
  return `${pluralize(accepted, "job")} submitted again.${refusal}`;
}
