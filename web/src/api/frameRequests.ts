/** The requests that read and change the frames of a room. */
import { newKey } from "./client";
import { decodeMessage, encodeMessage, type Frame } from "./frameMessage";
import { problemOf } from "./problem";

export interface ReadFrames {
  readonly frames: Frame[];
  readonly version: number;
  /** Of the whole sequence. */
  readonly length: number;
}

export interface FrameRange {
  readonly start: number;
  readonly stop: number;
  /** All if there are none. */
  readonly keys?: readonly string[];
  /** Numbers of 64 bits are sent with 32. */
  readonly isCompact?: boolean;
}

const MEDIA_TYPE = "application/vnd.workroom.frames";

/** As many of the frames as the server sends at once, from the first one on. */
export async function fetchFrames(room: string, range: FrameRange): Promise<ReadFrames> {
  const query = new URLSearchParams({ start: String(range.start), stop: String(range.stop) });
  if (range.keys) query.set("keys", range.keys.join(","));
  if (range.isCompact) query.set("dtype", "f32");
  const response = await fetch(`${pathOf(room)}/data?${query}`);
  if (!response.ok) throw await problemOf(response);
  return {
    frames: decodeMessage(await response.arrayBuffer()),
    version: versionOf(response),
    length: Number(response.headers.get("Frames-Length")),
  };
}

/** Replace one frame. */
export async function setFrame(room: string, at: number, frame: Frame, summary: string): Promise<void> {
  const query = new URLSearchParams({ op: "set", at: String(at), summary });
  const response = await fetch(`${pathOf(room)}?${query}`, {
    method: "POST",
    body: encodeMessage(frame) as Uint8Array<ArrayBuffer>,
    headers: { "Content-Type": MEDIA_TYPE, "Idempotency-Key": newKey() },
  });
  if (!response.ok) throw await problemOf(response);
}

export function versionOf(response: Response): number {
  return Number(/\d+/.exec(response.headers.get("ETag") ?? "")?.[0] ?? 0);
}

const pathOf = (room: string) => `/api/rooms/${encodeURIComponent(room)}/frames`;
