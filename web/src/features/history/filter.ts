import type { JobFilter } from "@/api/queries";
import type { JobState } from "@/api/schema";
import { WORDS } from "@/components/state";

export const MINE = "mine";

/** What the address asks for; `user=mine` is whoever reads it. */
export function filterOf(address: URLSearchParams, me: string | undefined): JobFilter {
  const status = address.get("status");
  const extension = address.get("extension");
  const user = address.get("user");
  return {
    ...(isState(status) && { status }),
    ...(extension?.includes("/") && { extension }),
    ...(user && { user: user === MINE ? me : user }),
  };
}

function isState(text: string | null): text is JobState {
  return text !== null && Object.hasOwn(WORDS, text);
}

/** The two jobs that stand side by side, if the address names two. */
export function pairOf(address: URLSearchParams): [string, string] | null {
  const [left, right, ...others] = address.get("compare")?.split(",") ?? [];
  return left && right && others.length === 0 ? [left, right] : null;
}

/** The address with one thing changed; what is empty leaves it. */
export function having(address: URLSearchParams, name: string, value: string | null): URLSearchParams {
  const next = new URLSearchParams(address);
  if (value) next.set(name, value);
  else next.delete(name);
  return next;
}
