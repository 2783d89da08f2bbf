import { SERVER_URL } from "./mount";
import { problemOf } from "./problem";
import type { PutRequest, PutResponse } from "./putWorker";
import { withViewToken } from "./viewToken";

type Answered = (response: PutResponse) => void;

let worker: Worker | null = null;
const waiting = new Map<number, Answered>();
let sent = 0;

/**
 * A PUT of JSON, for what changes while pictures are drawn: request and response are handled in a worker, because a
 * `fetch` of the page takes its main thread as long as a frame of atoms does.
 */
export async function putBeside<T>(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const { status, type, text } = await request({
    id: ++sent,
    url: SERVER_URL + path,
    headers: withViewToken({ "Content-Type": "application/json", ...headers }),
    body: JSON.stringify(body),
  });
  if (!status) throw new TypeError("The server cannot be reached");
  if (status >= 400) throw await problemOf(new Response(text, { status, headers: { "Content-Type": type } }));
  return JSON.parse(text) as T;
}

function request(asked: PutRequest): Promise<PutResponse> {
  worker ??= start();
  worker.postMessage(asked);
  return new Promise((resolve) => waiting.set(asked.id, resolve));
}

function start(): Worker {
  const started = new Worker(new URL("./putWorker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<PutResponse>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  return started;
}
