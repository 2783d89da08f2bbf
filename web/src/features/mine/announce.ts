import { mounted } from "@/api/mount";
import type { Job } from "@/api/schema";
import { formatDuration, pluralize } from "@/components/format";
import { titleOf } from "@/components/tools";

interface Announcement {
  title: string;
  body: string;
  tag: string;
  path: string | null;
}

const MAX_SINGLE = 3;
const MAX_TEXT = 200;

/** One notification for each job, or one for many. */
export function announcementsOf(jobs: Job[]): Announcement[] {
  if (jobs.length > MAX_SINGLE) return [summaryOf(jobs)];
  return jobs.map((job) => ({
    title: `${titleOf(job.name)} ${job.status}`,
    body: bodyOf(job),
    tag: job.id,
    path: `/rooms/${job.room}/jobs/${job.id}`,
  }));
}

function bodyOf({ room, execution_time_ms: ms, error }: Job): string {
  const where = ms === null ? `in ${room}` : `in ${room}, after ${formatDuration(ms)}`;
  return error ? `${where}\n${error.type}: ${error.message}`.slice(0, MAX_TEXT) : where;
}

function summaryOf(jobs: Job[]): Announcement {
  const failed = jobs.filter(({ status }) => status === "failed").length;
  return {
    title: `${pluralize(jobs.length, "job")} ended`,
    body: failed ? `${failed} failed` : "none failed",
    tag: "many",
    path: null,
  };
}

/** The tag lets several tabs show the same notification once. */
export function announce(jobs: Job[], go: (path: string) => void): void {
  for (const { title, body, tag, path } of announcementsOf(jobs)) {
    try {
      const shown = new Notification(title, { body, tag, icon: mounted("/icon.svg") });
      shown.onclick = () => {
        window.focus();
        if (path) go(path);
        shown.close();
      };
    } catch {
      // Chrome on Android shows notifications of service workers only.
    }
  }
}
