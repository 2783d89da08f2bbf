/** The requests that read and change the frames of a room. */
import { newKey } from "./client";
import type { WriteOptions } from "./documents";
import { decodeMessage, encodeMessage, type Frame } from "./frameMessage";
import { mounted } from "./mount";
import { hasCode, problemOf } from "./problem";
import { withViewToken } from "./viewToken";

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
  const response = await fetch(`${pathOf(room)}/data?${query}`, { headers: withViewToken() });
  if (!response.ok) throw await problemOf(response);
  return {
    frames: decodeMessage(await response.arrayBuffer()),
    version: versionOf(response),
    length: Number(response.headers.get("Frames-Length")),
  };
}

const MAX_TRIES = 10;

/** Replace one frame by what a function makes of it: again, if the frames have changed in between. */
export async function changeFrame(
  room: string,
  at: number,
  change: (frame: Frame) => Frame,
  edit: WriteOptions,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { frames, version } = await fetchFrames(room, { start: at, stop: at + 1 });
    if (!frames[0]) return;
    try {
      return await setFrame(room, at, change(frames[0]), version, edit);
    } catch (error) {
      if (tries === MAX_TRIES || !hasCode(error, "version_conflict")) throw error;
    }
  }
}

async function setFrame(
  room: string,
  at: number,
  frame: Frame,
  version: number,
  { summary = "", group = "" }: WriteOptions,
): Promise<void> {
  const query = new URLSearchParams({ op: "set", at: String(at), summary });
  const response = await fetch(`${pathOf(room)}?${query}`, {
    method: "POST",
    body: encodeMessage(frame) as Uint8Array<ArrayBuffer>,
    headers: {
      "Content-Type": MEDIA_TYPE,
      "Idempotency-Key": newKey(),
      "If-Match": `"${version}"`,
      "Edit-Group": group,
    },
  });
  if (!response.ok) throw await problemOf(response);
}

export function versionOf(response: Response): number {
  return Number(/\d+/.exec(response.headers.get("ETag") ?? "")?.[0] ?? 0);
}

const pathOf = (room: string) => mounted(`/api/rooms/${encodeURIComponent(room)}/frames`);
