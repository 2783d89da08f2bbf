import type { Problem as Document } from "./schema";

/** What the server refuses, in its own words. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly faults: { path: string; message: string }[];

  constructor(document: Document) {
    super(document.detail || document.title);
    this.status = document.status;
    this.code = document.code;
    this.faults = document.errors ?? [];
  }
}

/** Also when what answers is a proxy that speaks no JSON. */
export async function problemOf(response: Response): Promise<Problem> {
  const document = await response.json().catch(() => null);
  const isOurs = typeof document?.code === "string";
  return new Problem(isOurs ? document : unknown(response));
}

function unknown({ status, statusText }: Response): Document {
  const detail = `the server answered ${status} ${statusText}`;
  return { type: "about:blank", title: detail, status, code: "unknown", detail };
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Problem && codes.includes(error.code);
}
