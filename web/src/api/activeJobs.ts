import type { QueryClient } from "@tanstack/react-query";
import { advance } from "./advance";
import { queries } from "./queries";
import type { Job, Transition } from "./schema";

const READ_AFTER_MS = 300; // many jobs have ended by then
const MAX_READS = 10;
const MAX_LISTED = 100;
const MAX_ENDED = 20;

/** Keeps the lists of unfinished jobs up to date from events alone. A job that is new to them is read by its id. */
export class ActiveJobs {
  private readonly unread = new Set<string>();
  /** Jobs whose responses are under way, with the steps that these may not know yet. */
  private readonly reading = new Map<string, Transition[]>();
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly client: QueryClient) {}

  apply(transitions: Transition[]): void {
    this.client.setQueriesData<Job[]>({ queryKey: ["active"] }, (jobs) => jobs && advance(jobs, transitions));
    this.client.setQueriesData<Job[]>(
      { queryKey: ["mine"] },
      (jobs) => jobs && advance(jobs, transitions, MAX_ENDED),
    );
    for (const transition of transitions) {
      const under = this.reading.get(transition.job_id);
      if (under) under.push(transition);
      else if (transition.completed_at !== null) this.unread.delete(transition.job_id);
      else if (this.isNew(transition)) this.unread.add(transition.job_id);
    }
    if (this.unread.size > 0) this.timer ??= setTimeout(() => void this.read(), READ_AFTER_MS);
  }

  private isNew({ job_id, room, status, actor }: Transition): boolean {
    const lacks = (jobs: Job[] | undefined) => !jobs?.some(({ id }) => id === job_id);
    const mine = this.client.getQueryData<Job[]>(["mine", actor]);
    if (mine && status === "pending" && lacks(mine)) return true;
    const lists = this.client.getQueriesData<Job[]>({ queryKey: ["active", room], type: "active" });
    return lists.length > 0 && lists.every(([, jobs]) => lacks(jobs));
  }

  /** Reads some of the new jobs now and the rest later, however many there are. */
  private async read(): Promise<void> {
    const ids = [...this.unread].slice(0, MAX_READS);
    await Promise.all(ids.map((id) => this.readOne(id)));
    this.timer = this.unread.size > 0 ? setTimeout(() => void this.read(), READ_AFTER_MS) : null;
  }

  private async readOne(id: string): Promise<void> {
    this.unread.delete(id);
    const steps: Transition[] = [];
    this.reading.set(id, steps);
    const job = await this.client.fetchQuery({ ...queries.job(id), staleTime: 0 }).catch(() => null);
    this.reading.delete(id);
    for (const current of job ? advance([job], steps) : []) this.insert(current);
  }

  private insert(job: Job): void {
    if (job.completed_at !== null) return;
    const add = (jobs?: Job[]) =>
      jobs && [job, ...jobs.filter(({ id }) => id !== job.id)].slice(0, MAX_LISTED);
    this.client.setQueryData<Job[]>(queries.active(job.room, job).queryKey, add);
    this.client.setQueryData<Job[]>(queries.mine(job.user).queryKey, add);
  }
}
