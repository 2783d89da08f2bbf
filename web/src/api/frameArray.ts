/** The numbers of an array. Texts and complex numbers have none. */
export type Numbers = Float32Array | Float64Array | Int32Array | Uint8Array;

const SIZES = /^[<|]([a-zA-Z])(\d+)$/;

/** An array of a frame, with the bytes that it has in a message, so that it can be sent back as it is. */
export class FrameArray {
  private decoded: Numbers | null | undefined;

  constructor(
    readonly dtype: string,
    readonly shape: readonly number[],
    readonly bytes: Uint8Array,
  ) {}

  /** Frames that share an array share its numbers too. */
  get numbers(): Numbers | null {
    this.decoded ??= numbersOf(this.dtype, this.bytes);
    return this.decoded;
  }

  /** A row of this array: one atom, if the first dimension counts atoms. */
  get rowBytes(): number {
    const rows = this.shape[0] ?? 1;
    return rows === 0 ? 0 : this.bytes.length / rows;
  }
}

export function itemSize(dtype: string): number {
  const found = SIZES.exec(dtype);
  if (!found) throw new Error(`The dtype ${dtype} is not supported`);
  return Number(found[2]) * (found[1] === "U" ? 4 : 1);
}

export function float64Array(values: Float64Array, shape: readonly number[]): FrameArray {
  return new FrameArray("<f8", shape, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}

function numbersOf(dtype: string, bytes: Uint8Array): Numbers | null {
  const { buffer, byteOffset, length } = aligned(bytes);
  const [kind, size] = [dtype[1], Number(dtype.slice(2))];
  if (kind === "f" && size === 4) return new Float32Array(buffer, byteOffset, length / 4);
  if (kind === "f" && size === 8) return new Float64Array(buffer, byteOffset, length / 8);
  if (kind === "i" && size === 4) return new Int32Array(buffer, byteOffset, length / 4);
  if (kind === "b" || (kind === "u" && size === 1)) return new Uint8Array(buffer, byteOffset, length);
  const view = new DataView(buffer, byteOffset, length);
  const read = READERS[`${kind}${size}`];
  return read ? Float64Array.from({ length: length / size }, (_, index) => read(view, index * size)) : null;
}

const READERS: Record<string, (view: DataView, at: number) => number> = {
  i1: (view, at) => view.getInt8(at),
  i2: (view, at) => view.getInt16(at, true),
  i8: (view, at) => Number(view.getBigInt64(at, true)),
  u2: (view, at) => view.getUint16(at, true),
  u4: (view, at) => view.getUint32(at, true),
  u8: (view, at) => Number(view.getBigUint64(at, true)),
  f2: (view, at) => half(view.getUint16(at, true)),
};

/** A number of 16 bits. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

function aligned(bytes: Uint8Array): { buffer: ArrayBuffer; byteOffset: number; length: number } {
  const own = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  return { buffer: own.buffer as ArrayBuffer, byteOffset: own.byteOffset, length: own.length };
}
