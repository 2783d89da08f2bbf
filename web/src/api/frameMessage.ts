/** The binary message that carries frames. */
import { FrameArray, itemSize } from "./frameArray";
import { decodeMsgpack, encodeMsgpack } from "./msgpack";

/** An array, or a plain JSON value, for each key. */
export type Frame = ReadonlyMap<string, unknown>;

type Column =
  | [key: string, kind: "stack" | "same", dtype: string, shape: number[], offset: number]
  | [key: string, kind: "values", values: unknown[]]
  | [key: string, kind: "value", value: unknown];

const MAGIC = "WRF1";
const ALIGNMENT = 8;

export function decodeMessage(message: ArrayBuffer): Frame[] {
  const bytes = new Uint8Array(message);
  if (new TextDecoder().decode(bytes.subarray(0, 4)) !== MAGIC)
    throw new Error("This is no message of frames");
  const end = 8 + new DataView(message).getUint32(4, true);
  const { blocks } = decodeMsgpack(bytes.subarray(8, end)) as { blocks: [number, Column[]][] };
  const buffers = bytes.subarray(padded(end));
  return blocks.flatMap(([count, columns]) => decodeBlock(count, columns, buffers));
}

function decodeBlock(count: number, columns: Column[], buffers: Uint8Array): Frame[] {
  const readers = columns.map((column) => [column[0], readerOf(column, buffers)] as const);
  return Array.from({ length: count }, (_, row) => new Map(readers.map(([key, read]) => [key, read(row)])));
}

function readerOf(column: Column, buffers: Uint8Array): (row: number) => unknown {
  if (column[1] === "values") return (row) => column[2][row];
  if (column[1] === "value") return () => column[2];
  const [, kind, dtype, shape, offset] = column;
  const size = itemSize(dtype) * shape.reduce((product, length) => product * length, 1);
  const arrayAt = (at: number) => new FrameArray(dtype, shape, buffers.subarray(at, at + size));
  if (kind === "stack") return (row) => arrayAt(offset + row * size);
  const shared = arrayAt(offset);
  return () => shared;
}

/** A message with a single frame. */
export function encodeMessage(frame: Frame): Uint8Array {
  const parts: { at: number; bytes: Uint8Array }[] = [];
  let size = 0;
  const columns = [...frame].map(([key, value]): Column => {
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
