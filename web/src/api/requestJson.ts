import { mounted } from "./mount";
import { problemOf } from "./problem";

interface Options {
  method?: string;
  /** A body, sent as JSON. */
  json?: unknown;
}

/** Sends a request as the person at the page. Returns the JSON of the response; a refusal is thrown. */
export async function requestJson(path: string, { method = "GET", json }: Options = {}): Promise<unknown> {
  const response = await fetch(new URL(mounted(path), window.location.origin), {
    method,
    headers: json === undefined ? {} : { "Content-Type": "application/json" },
    body: json === undefined ? undefined : JSON.stringify(json),
  });
  if (!response.ok) throw await problemOf(response);
  return response.json();
}
