/** Documents of a room, kept up to date by events and written one after the other. */
import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { api, dataOf, newKey } from "./client";
import { versionOf } from "./frameRequests";
import { hasCode } from "./problem";
import { queries } from "./queries";

export interface DocumentState {
  readonly value: unknown;
  /** 0 if there is none. */
  readonly version: number;
}

const LIST_FRESH_MS = 2000;
const NONE: DocumentState = { value: undefined, version: 0 };

/** A response that was overtaken by an event does not bring the old value back. */
function newer(before: unknown, after: unknown): unknown {
  const [old, next] = [before as DocumentState | undefined, after as DocumentState];
  return old && old.version > next.version && next.version > 0 ? old : next;
}

export const documentQuery = (room: string, key: string) =>
  queryOptions({
    queryKey: ["shared", room, key],
    queryFn: ({ client }) => readDocument(client, room, key),
    structuralSharing: newer,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** One list tells which documents there are, so that the others are not asked for. */
async function readDocument(client: QueryClient, room: string, key: string): Promise<DocumentState> {
  const { items } = await client.fetchQuery({ ...queries.documents(room), staleTime: LIST_FRESH_MS });
  if (!writerOf(client, room, key).isKnown && !items.some((each) => each.key === key)) return NONE;
  try {
    const { data, response } = await api.GET("/api/rooms/{room}/state/{key}", {
      params: { path: { room, key } },
    });
    return { value: data, version: versionOf(response) };
  } catch (error) {
    if (hasCode(error, "document_not_found")) return NONE;
    throw error;
  }
}

/** The value of a document, and a function that replaces it for everybody. */
export function useDocument<T>(room: string, key: string, fallback: T): [T, (value: T) => void] {
  const client = useQueryClient();
  const { data } = useQuery(documentQuery(room, key));
  const write = useCallback((value: T) => writerOf(client, room, key).write(value), [client, room, key]);
  return [data?.value === undefined || data.value === null ? fallback : (data.value as T), write];
}

/** What an event says about a document. Returns false if the value has to be read. */
export function applyDocumentEvent(
  client: QueryClient,
  { room, key, version, value, deleted }: DocumentEvent,
): boolean {
  const writer = writerOf(client, room, key);
  writer.isKnown = !deleted;
  const hasValue = deleted || value !== undefined;
  if (hasValue) writer.receive({ value: deleted ? undefined : value, version });
  return hasValue;
}

interface DocumentEvent {
  room: string;
  key: string;
  version: number;
  value?: unknown;
  deleted: boolean;
}

/**
 * Writes the newest value of a document, and shows it at once. What others wrote in the meantime is shown when the
 * last write is done, if it is newer.
 */
class DocumentWriter {
  /** Whether an event was about it, so that the list may be older. */
  isKnown = false;
  private queued: { value: unknown } | null = null;
  private isWriting = false;
  private received: DocumentState | null = null;

  constructor(
    private readonly client: QueryClient,
    private readonly room: string,
    private readonly key: string,
  ) {}

  write(value: unknown): void {
    this.show({ value, version: this.current().version });
    this.queued = { value };
    if (!this.isWriting) void this.flush();
  }

  receive(state: DocumentState): void {
    if (this.isWriting) this.received = state;
    else if (state.version > this.current().version) this.show(state);
  }

  private async flush(): Promise<void> {
    this.isWriting = true;
    let version = 0;
    while (this.queued) {
      const { value } = this.queued;
      this.queued = null;
      version = await this.put(value).catch(() => -1);
    }
    this.isWriting = false;
    this.settle(version);
  }

  private settle(version: number): void {
    const { received } = this;
    this.received = null;
    if (version < 0) void this.client.invalidateQueries({ queryKey: ["shared", this.room, this.key] });
    else if (received && received.version > version) this.show(received);
    else this.show({ ...this.current(), version });
  }

  private async put(value: unknown): Promise<number> {
    const written = await dataOf(
      api.PUT("/api/rooms/{room}/state/{key}", {
        params: {
          path: { room: this.room, key: this.key },
          header: { "Idempotency-Key": newKey() },
        },
        body: value as never,
      }),
    );
    return written.version;
  }

  private current(): DocumentState {
    return this.client.getQueryData(documentQuery(this.room, this.key).queryKey) ?? NONE;
  }

  private show(state: DocumentState): void {
    this.client.setQueryData(documentQuery(this.room, this.key).queryKey, state);
  }
}

const writers = new WeakMap<QueryClient, Map<string, DocumentWriter>>();

function writerOf(client: QueryClient, room: string, key: string): DocumentWriter {
  const own = writers.get(client) ?? new Map<string, DocumentWriter>();
  writers.set(client, own);
  const name = `${room}/${key}`;
  const writer = own.get(name) ?? new DocumentWriter(client, room, key);
  own.set(name, writer);
  return writer;
}
