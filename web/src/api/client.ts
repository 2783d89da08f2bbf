import createClient from "openapi-fetch";
import { SERVER_URL } from "./mount";
import { problemOf } from "./problem";
import type { paths } from "./schema";
import { viewToken } from "./viewToken";

export const api = createClient<paths>({ baseUrl: SERVER_URL });

api.use({
  onRequest({ request }) {
    const token = viewToken();
    if (token) request.headers.set("Authorization", `Bearer ${token}`);
  },
  async onResponse({ response }) {
    if (!response.ok) throw await problemOf(response);
  },
});

/** The body of a successful response. Errors have been thrown as `Problem` before. */
export async function dataOf<T>(response: Promise<{ data?: T }>): Promise<T> {
  return (await response).data as T;
}

/** An idempotency key. `crypto.randomUUID` does not exist on plain HTTP. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
