/** A Web Worker: sends requests beside the page. */
export interface PutRequest {
  readonly id: number;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface PutResponse {
  readonly id: number;
  /** 0 if the server was not reached. */
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

addEventListener("message", async ({ data: { id, url, headers, body } }: MessageEvent<PutRequest>) => {
  const answer = (response: Omit<PutResponse, "id">) => postMessage({ id, ...response });
  try {
    const response = await fetch(url, { method: "PUT", headers, body });
    const type = response.headers.get("Content-Type") ?? "";
    answer({ status: response.status, type, text: await response.text() });
  } catch {
    answer({ status: 0, type: "", text: "" });
  }
});
