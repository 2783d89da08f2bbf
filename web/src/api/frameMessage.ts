/** The binary message that carries frames. */

import { encodeMsgpack } from "./encodeMsgpack";
import { FrameArray, itemSize } from "./frameArray";
import { type ArrayColumn, decodeFrames, type ValueColumn } from "./frames";

/** An array, or a plain JSON value, for each key. */
export type Frame = ReadonlyMap<string, unknown>;

const MAGIC = "WRF1";
const ALIGNMENT = 8;

/** The frames of a message, one by one. Their arrays are views of the message. */
export function decodeMessage(message: ArrayBuffer): Frame[] {
  return decodeFrames(message).flatMap(({ count, columns }) => {
    const readers = columns.map((column) => [column.key, readerOf(column)] as const);
    return Array.from({ length: count }, (_, row) => new Map(readers.map(([key, read]) => [key, read(row)])));
  });
}

function readerOf(column: ArrayColumn | ValueColumn): (row: number) => unknown {
  if (column.kind === "values") return (row) => column.values[row];
  if (column.kind === "value") return () => column.value;
  const { kind, dtype, shape, data } = column;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const size = itemSize(dtype) * shape.reduce((product, length) => product * length, 1);
  const arrayAt = (at: number) => new FrameArray(dtype, shape, bytes.subarray(at, at + size));
  if (kind === "stack") return (row) => arrayAt(row * size);
  const shared = arrayAt(0);
  return () => shared;
}

/** A message with a single frame. */
export function encodeMessage(frame: Frame): Uint8Array {
  const parts: { at: number; bytes: Uint8Array }[] = [];
  let size = 0;
  const columns = [...frame].map(([key, value]): unknown[] => {
    if (!(value instanceof FrameArray)) return [key, "value", value];
    const at = padded(size);
    parts.push({ at, bytes: value.bytes });
    size = at + value.bytes.length;
    return [key, "same", value.dtype, [...value.shape], at];
  });
  const directory = encodeMsgpack({ blocks: [[1, columns]] });
  const begin = padded(8 + directory.length);
  const message = new Uint8Array(begin + size);
  message.set(new TextEncoder().encode(MAGIC));
  new DataView(message.buffer).setUint32(4, directory.length, true);
  message.set(directory, 8);
  for (const { at, bytes } of parts) message.set(bytes, begin + at);
  return message;
}

const padded = (size: number) => Math.ceil(size / ALIGNMENT) * ALIGNMENT;
