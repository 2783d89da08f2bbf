/** Documents of a room, kept up to date by events and written one after the other. */
import {
  type QueryClient,
  QueryObserver,
  queryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { api, dataOf, newKey } from "./client";
import { noteDocument, withDocument } from "./documentList";
import { versionOf } from "./frameRequests";
import { hasCode } from "./problem";
import { putBeside } from "./putBeside";
import { queries } from "./queries";
import type { StateChanged } from "./schema";

export interface DocumentState {
  readonly value: unknown;
  /** 0 if there is none. */
  readonly version: number;
  /** Who wrote it; null for this page. */
  readonly user: string | null;
}

/** How a write is kept in the list of versions. */
export interface WriteOptions {
  /** Writes with the same name make one version where that is possible. */
  readonly group?: string;
  readonly summary?: string;
  /** The shortest time between two writes; of those that are wanted meanwhile, the newest is sent. */
  readonly paceMs?: number;
  /** Whether it is written while pictures are drawn, which should not wait for it. */
  readonly isLive?: boolean;
}

const LIST_FRESH_MS = 2000;
const NONE: DocumentState = { value: undefined, version: 0, user: null };

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
  const { isKnown, announced } = writerOf(client, room, key);
  const listed = items.find((each) => each.key === key);
  if (!isKnown && !listed) return NONE;
  try {
    const { data, response } = await api.GET("/api/rooms/{room}/state/{key}", {
      params: { path: { room, key } },
    });
    const version = versionOf(response);
    const known = [announced, listed].find((each) => each?.version === version);
    return { value: data, version, user: (known ?? announced ?? listed)?.user ?? null };
  } catch (error) {
    if (hasCode(error, "document_not_found")) return NONE;
    throw error;
  }
}

/** The value of a document, a function that replaces it for everybody, and who wrote it: null for this page. */
export function useDocument<T>(
  room: string,
  key: string,
  fallback: T,
): [T, (value: T, edit?: WriteOptions) => void, string | null] {
  const client = useQueryClient();
  const { data = NONE } = useQuery(documentQuery(room, key));
  const write = useCallback(
    (value: T, edit?: WriteOptions) => writerOf(client, room, key).write(value, edit),
    [client, room, key],
  );
  const isMissing = data.value === undefined || data.value === null;
  return [isMissing ? fallback : (data.value as T), write, data.user];
}

/** A document that changes many times a second: nothing is rendered for it. */
export interface LiveDocument {
  readonly value: () => unknown;
  readonly write: (value: unknown, edit?: WriteOptions) => void;
  /** Calls a function with the value now, if there is one, and with each other value. Returns how to stop that. */
  readonly follow: (changed: (value: unknown) => void) => () => void;
}

export function useLiveDocument(room: string, key: string): LiveDocument {
  const client = useQueryClient();
  return useMemo(() => {
    const value = () => client.getQueryData(documentQuery(room, key).queryKey)?.value;
    const follow = (changed: (value: unknown) => void) => {
      let last: unknown;
      const look = () => {
        const next = value() ?? undefined;
        if (next === last) return;
        last = next;
        if (next !== undefined) changed(next);
      };
      look();
      return new QueryObserver(client, documentQuery(room, key)).subscribe(look);
    };
    const write: LiveDocument["write"] = (written, edit) =>
      writerOf(client, room, key).write(written, { ...edit, isLive: true });
    return { value, follow, write };
  }, [client, room, key]);
}

/** Resolves when the server has what this page wrote to a document. */
export function documentWritten(client: QueryClient, room: string, key: string): Promise<void> {
  return writerOf(client, room, key).written;
}

/** What an event says about a document. Returns false if the value has to be read. */
export function applyDocumentEvent(
  client: QueryClient,
  { room, key, version, user, value, deleted }: StateChanged,
): boolean {
  const writer = writerOf(client, room, key);
  writer.isKnown = !deleted;
  writer.announced = { version, user };
  const hasValue = deleted || value !== undefined;
  if (hasValue) writer.receive({ value: deleted ? undefined : value, version, user });
  return hasValue;
}

/** A document that is new or gone is so at once in the list, which is read again only now and then. */
export function listDocument(client: QueryClient, event: StateChanged): void {
  noteDocument(event);
  const { queryKey } = queries.documents(event.room);
  client.setQueryData(queryKey, (list) => list && withDocument(list, event));
}

/**
 * Writes the newest value of a document, and shows it at once. What others wrote in the meantime is shown when the
 * last write is done, if it is newer.
 */
class DocumentWriter {
  /** Whether an event was about it, so that the list may be older. */
  isKnown = false;
  /** What the last event said. */
  announced: { readonly version: number; readonly user: string } | null = null;
  /** The last write, which never fails. */
  written: Promise<void> = Promise.resolve();
  private queued: { value: unknown; edit: WriteOptions } | null = null;
  private isWriting = false;
  private sentAt = Number.NEGATIVE_INFINITY;
  private received: DocumentState | null = null;

  constructor(
    private readonly client: QueryClient,
    private readonly room: string,
    private readonly key: string,
  ) {}

  write(value: unknown, edit: WriteOptions = {}): void {
    this.show({ value, version: this.current().version, user: null });
    this.queued = { value, edit };
    if (!this.isWriting) this.written = this.flush();
  }

  receive(state: DocumentState): void {
    if (this.isWriting) this.received = state;
    else if (state.version > this.current().version) this.show(state);
  }

  private async flush(): Promise<void> {
    this.isWriting = true;
    let version = 0;
    while (this.queued) {
      await wait(this.sentAt + (this.queued.edit.paceMs ?? 0) - performance.now());
      const { value, edit } = this.queued;
      this.sentAt = performance.now();
      this.queued = null;
      version = await this.put(value, edit).catch(() => -1);
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

  private async put(value: unknown, { group, summary, isLive }: WriteOptions): Promise<number> {
    if (isLive) return this.putLive(value);
    const written = await dataOf(
      api.PUT("/api/rooms/{room}/state/{key}", {
        params: {
          path: { room: this.room, key: this.key },
          query: summary ? { summary } : {},
          header: { "Idempotency-Key": newKey(), ...(group && { "Edit-Group": group }) },
        },
        body: value as never,
      }),
    );
    return written.version;
  }

  private async putLive(value: unknown): Promise<number> {
    const path = `/api/rooms/${encodeURIComponent(this.room)}/state/${encodeURIComponent(this.key)}`;
    const { version } = await putBeside<{ version: number }>(path, value, { "Idempotency-Key": newKey() });
    return version;
  }

  private current(): DocumentState {
    return this.client.getQueryData(documentQuery(this.room, this.key).queryKey) ?? NONE;
  }

  private show(state: DocumentState): void {
    this.client.setQueryData(documentQuery(this.room, this.key).queryKey, state);
  }
}

async function wait(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
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
