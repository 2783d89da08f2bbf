import { createContext, useContext } from "react";
import { mounted } from "@/api/mount";
import type { Source } from "./content";

/** The job whose artifacts a result refers to. */
export const JobIdContext = createContext<string | null>(null);

export function addressOf(jobId: string, name: string): string {
  return mounted(`/api/jobs/${jobId}/artifacts/${encodeURIComponent(name)}`);
}

export function sourceOf(source: Source, jobId: string): string {
  return "url" in source ? mounted(source.url) : `${addressOf(jobId, source.artifact)}?inline=true`;
}

/** The address of some content; `null` if it is in an artifact of a job that is not known here. */
export function useAddress(source: Source): string | null {
  const jobId = useContext(JobIdContext);
  if ("url" in source) return mounted(source.url);
  return jobId === null ? null : `${addressOf(jobId, source.artifact)}?inline=true`;
}
