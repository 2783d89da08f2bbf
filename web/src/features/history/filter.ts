import type { JobFilter } from "@/api/queries";
import type { JobState } from "@/api/schema";
import { STATES } from "@/components/state";

export const MINE = "mine";
export const MAX_COMPARED = 12;

/** The filter in the address. `user=mine` means the current user. */
export function filterOf(address: URLSearchParams, me: string | undefined): JobFilter {
  const status = address.get("status");
  const extension = address.get("extension");
  const user = address.get("user");
  const q = address.get("q")?.trim();
  return {
    ...(isState(status) && { status }),
    ...(extension?.includes("/") && { extension }),
    ...(user && { user: user === MINE ? me : user }),
    ...(q && { q }),
  };
}

function isState(text: string | null): text is JobState {
  return (STATES as (string | null)[]).includes(text);
}

/** The jobs to compare, if the address names at least two. */
export function comparedIn(address: URLSearchParams): string[] | null {
  const ids = new Set(address.get("compare")?.split(",").filter(Boolean));
  return ids.size < 2 ? null : [...ids].slice(0, MAX_COMPARED);
}

/** Returns a copy with one parameter set, or deleted if the value is empty. */
export function withParam(address: URLSearchParams, name: string, value: string | null): URLSearchParams {
  const next = new URLSearchParams(address);
  if (value) next.set(name, value);
  else next.delete(name);
  return next;
}
