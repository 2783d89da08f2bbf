/** Decodes messages of frames. Arrays are views of the message: nothing is copied. `docs/frames.md` has the format. */
import { decodeMsgpack } from "./msgpack";

export type FrameArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array;

/** An array per frame, one after the other ("stack"), or one for all frames of the block ("same"). */
export interface ArrayColumn {
  key: string;
  kind: "stack" | "same";
  dtype: string;
  shape: number[];
  /** Complex numbers are pairs. Half floats, texts and bytes are raw bytes. */
  data: FrameArray;
}

/** A plain value per frame, or one for all frames of the block. */
export type ValueColumn =
  | { key: string; kind: "values"; values: unknown[] }
  | { key: string; kind: "value"; value: unknown };

export interface Block {
  count: number;
  columns: (ArrayColumn | ValueColumn)[];
}

type ArrayType = {
  new (buffer: ArrayBuffer, offset: number, length: number): FrameArray;
  BYTES_PER_ELEMENT: number;
};

const HEAD_BYTES = 8;
const ALIGNMENT = 8;
const MAGIC = 0x31465257; // "WRF1"
const TYPES: Record<string, ArrayType> = {
  "<f4": Float32Array,
  "<f8": Float64Array,
  "<c8": Float32Array,
  "<c16": Float64Array,
  "|i1": Int8Array,
  "<i2": Int16Array,
  "<i4": Int32Array,
  "<i8": BigInt64Array,
  "|u1": Uint8Array,
  "<u2": Uint16Array,
  "<u4": Uint32Array,
  "<u8": BigUint64Array,
};

/** Throws RangeError if the message is not one. */
export function decodeFrames(message: ArrayBuffer): Block[] {
  const view = new DataView(message);
  if (message.byteLength < HEAD_BYTES || view.getUint32(0, true) !== MAGIC)
    throw new RangeError("this is no message of frames");
  const size = view.getUint32(4, true);
  const directory = decodeMsgpack(new Uint8Array(message, HEAD_BYTES, size)) as {
    blocks: [number, unknown[][]][];
  };
  const buffersAt = Math.ceil((HEAD_BYTES + size) / ALIGNMENT) * ALIGNMENT;
  return directory.blocks.map(([count, columns]) => ({
    count,
    columns: columns.map((column) => decodeColumn(message, buffersAt, count, column)),
  }));
}

function decodeColumn(
  message: ArrayBuffer,
  buffersAt: number,
  count: number,
  column: unknown[],
): ArrayColumn | ValueColumn {
  const [key, kind] = column as [string, string];
  if (kind === "values") return { key, kind, values: column[2] as unknown[] };
  if (kind === "value") return { key, kind, value: column[2] };
  if (kind !== "stack" && kind !== "same") throw new RangeError(`unknown kind of column '${kind}'`);
  const [, , dtype, shape, offset] = column as [string, string, string, number[], number];
  const items = shape.reduce((product, length) => product * length, 1) * (kind === "stack" ? count : 1);
  const bytes = items * itemBytes(dtype);
  const Type = TYPES[dtype] ?? Uint8Array;
  const data = new Type(message, buffersAt + offset, bytes / Type.BYTES_PER_ELEMENT);
  return { key, kind, dtype, shape, data };
}

function itemBytes(dtype: string): number {
  const size = Number(dtype.slice(2));
  return dtype[1] === "U" ? 4 * size : size;
}

/** A column of numbers, one per frame. Null for one of other values; NaN where a value is missing. */
export function numbersOf(column: ArrayColumn | ValueColumn): Float64Array | null {
  if (column.kind === "stack" && column.shape.length === 0) {
    if (column.data instanceof Float64Array) return column.data;
    return Float64Array.from(column.data as ArrayLike<number | bigint>, Number);
  }
  return null;
}
