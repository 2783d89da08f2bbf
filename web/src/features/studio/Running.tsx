import { ActionIcon, Button, Group, Paper, Progress, Text, Title } from "@mantine/core";
import {
  IconChevronLeft,
  IconChevronRight,
  IconPlayerPause,
  IconPlayerPlay,
  IconX,
} from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, dataOf } from "@/api/client";
import { useJobEvents } from "@/api/LiveProvider";
import { mounted } from "@/api/mount";
import { queries } from "@/api/queries";
import type { Job } from "@/api/schema";
import { formatDuration } from "@/components/format";
import { notifyError } from "@/components/notify";
import { fractionOf } from "@/components/progress";
import { Since } from "@/components/RelativeTime";
import { providerOf, timeUntilStart } from "./busyness";
import { GENERATE, type Provider } from "./content";
import { inOrder } from "./queue";
import classes from "./Studio.module.css";
import { useQueue } from "./useQueue";
import { useRecent } from "./useRecent";

/** Everyone's orders that have not ended, with mine to be cancelled. Those that wait have nothing to show. */
export function Running({ room, user, providers }: Props) {
  const { data = [] } = useQuery(queries.active(room, GENERATE));
  const jobs = inOrder(data);
  const queue = useQueue(room, user, jobs);
  const own = queue.waiting;
  const made = jobs.filter(({ status }) => status !== "pending");
  const waiting = jobs.filter(({ status }) => status === "pending");
  const limitOf = (job: Job) => providers.find(({ name }) => name === providerOf(job))?.concurrency ?? 1;
  if (jobs.length === 0 && !queue.isPaused) return null;
  return (
    <section aria-label="Being made">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          Being made
        </Title>
        <QueueButtons queue={queue} />
      </Group>
      {queue.isPaused && (
        <Text size="sm" mb="xs">
          Your queue is paused: what waits does not start before you resume it.
        </Text>
      )}
      {made.length > 0 && (
        <ul className={classes.tiles}>
          {made.map((job) => (
            <Tile key={job.id} listed={job} limit={limitOf(job)} isMine={job.user === user} />
          ))}
        </ul>
      )}
      {waiting.length > 0 && (
        <ul className={classes.waiting}>
          {waiting.map((job) => {
            const place = own.findIndex(({ id }) => id === job.id);
            const mayMove = place >= 0 && !queue.isPaused && !queue.isBusy;
            return (
              <Tile
                key={job.id}
                listed={job}
                limit={limitOf(job)}
                isMine={job.user === user}
                earlier={mayMove && place > 0 ? () => queue.move(job.id, -1) : undefined}
                later={mayMove && place < own.length - 1 ? () => queue.move(job.id, 1) : undefined}
              />
            );
          })}
        </ul>
      )}
    </section>
  );
}

interface Props {
  room: string;
  user: string;
  providers: Provider[];
}

function QueueButtons({ queue }: { queue: ReturnType<typeof useQueue> }) {
  const { waiting, isPaused, isBusy, mayPause } = queue;
  if (waiting.length === 0 && !isPaused) return null;
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={isPaused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
        disabled={isBusy || !mayPause}
        onClick={queue.pause}
      >
        {isPaused ? "Resume my queue" : "Pause my queue"}
      </Button>
      {waiting.length > 0 && (
        <Button size="xs" variant="default" disabled={isBusy} onClick={queue.clear}>
          Clear my queue ({waiting.length})
        </Button>
      )}
    </Group>
  );
}

interface TileProps {
  listed: Job;
  /** How many orders of its provider run at once. */
  limit: number;
  isMine: boolean;
  earlier?: () => void;
  later?: () => void;
}

function Tile({ listed, limit, isMine, earlier, later }: TileProps) {
  useJobEvents(listed.id);
  const { data: job = listed } = useQuery(queries.job(listed.id));
  const cancelling = useMutation({ mutationFn: () => cancel(job.id), onError: notifyError });
  const prompt = String((job.data.params as { prompt?: unknown } | undefined)?.prompt ?? "");
  const fraction = fractionOf(job);
  return (
    <Paper withBorder component="li" className={classes.tile}>
      {listed.status !== "pending" && (
        <>
          <TilePreview id={job.id} />
          <Progress
            size={3}
            radius={0}
            value={job.status !== "running" ? 0 : fraction === null ? 100 : fraction * 100}
            animated={job.status === "running" && fraction === null}
            aria-label="Progress"
          />
        </>
      )}
      <Group p={8} gap={4} wrap="nowrap">
        <div style={{ flex: 1, minWidth: 0 }}>
          <Text size="sm" truncate title={prompt}>
            {prompt || "No prompt"}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            <Stage job={job} limit={limit} />
          </Text>
        </div>
        {earlier && <Move label={`Move ${prompt} earlier`} move={earlier} Icon={IconChevronLeft} />}
        {later && <Move label={`Move ${prompt} later`} move={later} Icon={IconChevronRight} />}
        {isMine && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Cancel ${prompt}`}
            loading={cancelling.isPending}
            onClick={() => cancelling.mutate()}
          >
            <IconX size={16} />
          </ActionIcon>
        )}
      </Group>
    </Paper>
  );
}

function Move({ label, move, Icon }: { label: string; move: () => void; Icon: typeof IconX }) {
  return (
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} title={label} onClick={move}>
      <Icon size={16} />
    </ActionIcon>
  );
}

function Stage({ job, limit }: { job: Job; limit: number }) {
  const recent = useRecent(job.room);
  if (job.waiting_for?.code === "paused") return <>paused</>;
  if (job.status === "pending") {
    const left = timeUntilStart(job, limit, recent);
    const ahead = job.queue_position ? `${job.queue_position} ahead` : "next";
    return <>{left === null ? ahead : `${ahead}, about ${formatDuration(left)}`}</>;
  }
  return (
    <>
      <Since at={job.started_at ?? job.created_at} /> {job.progress?.message && `· ${job.progress.message}`}
    </>
  );
}

/** The last preview. The one before stays until the next is loaded. */
function TilePreview({ id }: { id: string }) {
  const { data: hasPreview = false } = useQuery(queries.hasPreview(id));
  const { data } = useQuery({
    queryKey: ["preview", id, "picture"],
    queryFn: () => readPicture(id),
    placeholderData: (before) => before,
    enabled: hasPreview,
  });
  return data ? <img className={classes.preview} src={data} alt="" /> : <div className={classes.preview} />;
}

async function readPicture(id: string): Promise<string | null> {
  const response = await fetch(mounted(`/api/jobs/${id}/preview`));
  if (!response.ok) return null;
  const blob = await response.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

function cancel(id: string) {
  return dataOf(api.DELETE("/api/jobs/{job_id}", { params: { path: { job_id: id } } }));
}
