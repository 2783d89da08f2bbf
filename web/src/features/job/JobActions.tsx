import { Button } from "@mantine/core";
import { IconPencil, IconPlayerStop, IconRefresh } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { api, got } from "@/api/client";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { keepDraft } from "@/components/draft";
import { isOver } from "@/components/state";
import { tellProblem } from "@/components/tell";
import { pathOf } from "@/components/tools";

interface Props {
  job: Job;
  onAgain?: (job: Job) => void;
  onEdit?: (job: Job) => void;
}

/** Cancel what is not over; what is may be run again, as it was or changed. */
export function JobActions(props: Props) {
  return isOver(props.job) ? <Again {...props} /> : <Cancel job={props.job} />;
}

function Cancel({ job }: { job: Job }) {
  const client = useQueryClient();
  const cancelling = useMutation({
    mutationFn: () => got(api.DELETE("/api/jobs/{job_id}", { params: { path: { job_id: job.id } } })),
    onSuccess: (cancelled) => client.setQueryData(queries.job(job.id).queryKey, cancelled),
    onError: tellProblem,
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
  const again = useMutation({
    mutationFn: () => got(api.POST("/api/jobs/{job_id}/retry", { params: { path: { job_id: job.id } } })),
    onSuccess: (next) => (onAgain ? onAgain(next) : go(`/jobs/${next.id}`)),
    onError: tellProblem,
  });
  const edit = () => {
    if (onEdit) return onEdit(job);
    keepDraft(job.room, job, job.data);
    go(pathOf(job));
  };
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={14} />}
        loading={again.isPending}
        onClick={() => again.mutate()}
      >
        Run again
      </Button>
      <Button size="xs" variant="default" leftSection={<IconPencil size={14} />} onClick={edit}>
        Edit and run again
      </Button>
    </>
  );
}
