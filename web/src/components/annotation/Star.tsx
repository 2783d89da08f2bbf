import { ActionIcon } from "@mantine/core";
import { IconStar, IconStarFilled } from "@tabler/icons-react";
import type { Job } from "@/api/schema";
import { useIsViewer } from "../ViewOnly";
import { useAnnotate } from "./useAnnotate";

/** Stars a job, for everybody in the room. */
export function Star({ job, of }: { job: Job; of: string }) {
  const annotating = useAnnotate(job);
  const isViewer = useIsViewer(job.room);
  const isStarred = annotating.isPending
    ? annotating.variables.starred === true
    : (job.annotation?.starred ?? false);
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      title={isStarred ? "Remove the star" : "Star"}
      aria-label={`Star ${of}`}
      aria-pressed={isStarred}
      disabled={isViewer}
      onClick={() => annotating.mutate({ starred: !isStarred })}
    >
      {isStarred ? (
        <IconStarFilled size={16} color="var(--mantine-color-yellow-6)" />
      ) : (
        <IconStar size={16} />
      )}
    </ActionIcon>
  );
}
