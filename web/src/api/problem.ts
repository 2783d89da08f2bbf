import type { Problem as Document } from "./schema";

/** An error response of the server (RFC 9457), with the server's own message. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: { path: string; message: string }[];

  constructor(document: Document) {
    super(document.detail || document.title);
    this.status = document.status;
    this.code = document.code;
    this.errors = document.errors ?? [];
  }
}

/** Also for a response that is not ours, such as a proxy's error page. */
export async function problemOf(response: Response): Promise<Problem> {
  const document = await response.json().catch(() => null);
  const isOurs = typeof document?.code === "string";
  return new Problem(isOurs ? document : unknown(response));
}

function unknown({ status, statusText }: Response): Document {
  const detail = `The server responded with ${status} ${statusText}`;
  return { type: "about:blank", title: detail, status, code: "unknown", detail, retryable: status >= 500 };
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Problem && codes.includes(error.code);
}
