import createClient from "openapi-fetch";
import { problemOf } from "./problem";
import type { paths } from "./schema";

export const api = createClient<paths>({ baseUrl: window.location.origin });

api.use({
  async onResponse({ response }) {
    if (!response.ok) throw await problemOf(response);
  },
});

/** The answer's body; refusals were thrown before. */
export async function got<T>(answer: Promise<{ data?: T }>): Promise<T> {
  return (await answer).data as T;
}

/** The server knows a repeat by it. Not `randomUUID`, which plain HTTP does not have. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
