import { Button } from "@mantine/core";
import { IconPencil, IconPlayerStop, IconRefresh } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { api, dataOf } from "@/api/client";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { saveDraft } from "@/components/draft";
import { notifyError } from "@/components/notify";
import { hasMasks } from "@/components/secrets";
import { isOver } from "@/components/state";
import { pathOf } from "@/components/tools";
import { useIsViewer } from "@/components/ViewOnly";

interface Props {
  job: Job;
  onAgain?: (job: Job) => void;
  onEdit?: (job: Job) => void;
}

/** Cancels an unfinished job, or runs a finished one again, with or without changes. A viewer does neither. */
export function JobActions(props: Props) {
  const isViewer = useIsViewer(props.job.room);
  const { data: me } = useQuery(queries.me());
  if (isViewer && (isOver(props.job) || me?.user !== props.job.user)) return null;
  return isOver(props.job) ? <Again {...props} /> : <Cancel job={props.job} />;
}

function Cancel({ job }: { job: Job }) {
  const client = useQueryClient();
  const cancelling = useMutation({
    mutationFn: () => dataOf(api.DELETE("/api/jobs/{job_id}", { params: { path: { job_id: job.id } } })),
    onSuccess: (cancelled) => client.setQueryData(queries.job(job.id).queryKey, cancelled),
    onError: notifyError,
  });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlayerStop size={14} />}
      loading={cancelling.isPending}
      onClick={() => cancelling.mutate()}
    >
      Cancel
    </Button>
  );
}

function Again({ job, onAgain, onEdit }: Props) {
  const [, go] = useLocation();
  const { data: me } = useQuery(queries.me());
  const again = useMutation({
    mutationFn: () => dataOf(api.POST("/api/jobs/{job_id}/retry", { params: { path: { job_id: job.id } } })),
    onSuccess: (next) => (onAgain ? onAgain(next) : go(`/jobs/${next.id}`)),
    onError: notifyError,
  });
  const needsOwnSecrets = hasMasks(job.data) && me?.user !== job.user; // another user's secrets are not reused
  const edit = () => {
    if (onEdit) return onEdit(job);
    saveDraft(job.room, job, job.data);
    go(pathOf(job));
  };
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={14} />}
        loading={again.isPending}
        onClick={() => (needsOwnSecrets ? edit() : again.mutate())}
      >
        Run again
      </Button>
      <Button size="xs" variant="default" leftSection={<IconPencil size={14} />} onClick={edit}>
        Edit and run again
      </Button>
    </>
  );
}
