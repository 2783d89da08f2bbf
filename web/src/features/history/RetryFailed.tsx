import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { api, got } from "@/api/client";
import type { JobEntries } from "@/api/schema";
import { Confirm } from "@/components/Confirm";
import { tell } from "@/components/tell";
import { titleOf } from "@/components/tools";
import { counted } from "@/components/words";

const MOST = 100;

export function RetryFailed({ room, extension }: { room: string; extension?: string }) {
  const [isOpen, { open, close }] = useDisclosure();
  const retrying = useMutation({
    mutationFn: () =>
      got(
        api.POST("/api/rooms/{room}/jobs/retry", {
          params: { path: { room }, query: { status: "failed", extension, limit: MOST } },
        }),
      ),
    onSuccess: (answer) => {
      tell(outcome(answer.items));
      close();
    },
  });
  return (
    <>
      <Button variant="default" leftSection={<IconRefresh size={16} />} px="sm" onClick={open}>
        Retry all failed
      </Button>
      <Confirm
        title="Retry all failed"
        action="Run them again"
        isOpen={isOpen}
        isBusy={retrying.isPending}
        error={retrying.error}
        close={close}
        confirm={() => retrying.mutate()}
      >
        <Text size="sm">
          Every failed job of {extension ? titleOf(extension.slice(extension.indexOf("/") + 1)) : "this room"}{" "}
          that was not run again yet is submitted once more, the newest {MOST} at most.
        </Text>
      </Confirm>
    </>
  );
}

export function outcome(entries: JobEntries["items"]): string {
  const refused = entries.flatMap((entry) => ("error" in entry ? [entry.error] : []));
  const accepted = entries.length - refused.length;
  if (entries.length === 0) return "No failed job is left to run again.";
  const [first] = refused;
  const refusal = first ? ` ${refused.length} refused: ${first.detail || first.title}.` : "";
  return `${counted(accepted, "job")} submitted again.${refusal}`;
}
