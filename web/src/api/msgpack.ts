/** MessagePack, as far as JSON values need it, and byte strings. Whole numbers beyond 2^53 lose digits. */

export function decodeMsgpack(bytes: Uint8Array): unknown {
  return new Decoder(bytes).value();
}

export function encodeMsgpack(value: unknown): Uint8Array {
  const encoder = new Encoder();
  encoder.value(value);
  return Uint8Array.from(encoder.bytes);
}

class Decoder {
  private readonly view: DataView;
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  value(): unknown {
    const type = this.unsigned(1);
    if (type < 0x80) return type;
    if (type < 0x90) return this.map(type & 15);
    if (type < 0xa0) return this.array(type & 15);
    if (type < 0xc0) return this.text(type & 31);
    if (type >= 0xe0) return type - 0x100;
    return this.other(type);
  }

  private other(type: number): unknown {
    if (type === 0xc0) return null;
    if (type === 0xc2 || type === 0xc3) return type === 0xc3;
    if (type >= 0xc4 && type <= 0xc6) return this.take(this.unsigned(1 << (type - 0xc4)));
    if (type === 0xca) return this.view.getFloat32(this.skip(4));
    if (type === 0xcb) return this.view.getFloat64(this.skip(8));
    if (type >= 0xcc && type <= 0xcf) return this.unsigned(1 << (type - 0xcc));
    if (type >= 0xd0 && type <= 0xd3) return this.signed(1 << (type - 0xd0));
    if (type >= 0xd9 && type <= 0xdb) return this.text(this.unsigned(1 << (type - 0xd9)));
    if (type === 0xdc || type === 0xdd) return this.array(this.unsigned(type === 0xdc ? 2 : 4));
    if (type === 0xde || type === 0xdf) return this.map(this.unsigned(type === 0xde ? 2 : 4));
    throw new Error("This MessagePack type is not supported");
  }

  private skip(count: number): number {
    this.at += count;
    return this.at - count;
  }

  private take(count: number): Uint8Array {
    const from = this.skip(count);
    if (this.at > this.bytes.length) throw new Error("The message is cut off");
    return this.bytes.subarray(from, this.at);
  }

  private unsigned(size: number): number {
    const at = this.skip(size);
    if (size === 1) return this.view.getUint8(at);
    if (size === 2) return this.view.getUint16(at);
    if (size === 4) return this.view.getUint32(at);
    return Number(this.view.getBigUint64(at));
  }

  private signed(size: number): number {
    const at = this.skip(size);
    if (size === 1) return this.view.getInt8(at);
    if (size === 2) return this.view.getInt16(at);
    if (size === 4) return this.view.getInt32(at);
    return Number(this.view.getBigInt64(at));
  }

  private text(length: number): string {
    return new TextDecoder().decode(this.take(length));
  }

  private array(length: number): unknown[] {
    const found: unknown[] = [];
    for (let index = 0; index < length; index++) found.push(this.value());
    return found;
  }

  private map(length: number): Record<string, unknown> {
    const found: [string, unknown][] = [];
    for (let index = 0; index < length; index++) found.push([String(this.value()), this.value()]);
    return Object.fromEntries(found);
  }
}

class Encoder {
  readonly bytes: number[] = [];

  value(value: unknown): void {
    if (value === null || value === undefined) this.bytes.push(0xc0);
    else if (typeof value === "boolean") this.bytes.push(value ? 0xc3 : 0xc2);
    else if (typeof value === "number") this.number(value);
    else if (typeof value === "string") this.text(value);
    else if (Array.isArray(value)) {
      this.head(0xdd, value.length);
      for (const each of value) this.value(each);
    } else this.map(value as object);
  }

  private map(value: object): void {
    const entries = Object.entries(value);
    this.head(0xdf, entries.length);
    for (const [key, each] of entries) {
      this.text(key);
      this.value(each);
    }
  }

  private number(value: number): void {
    const view = new DataView(new ArrayBuffer(8));
    const isWhole = Number.isSafeInteger(value) && !Object.is(value, -0);
    if (isWhole) view.setBigInt64(0, BigInt(value));
    else view.setFloat64(0, value);
    this.bytes.push(isWhole ? 0xd3 : 0xcb, ...new Uint8Array(view.buffer));
  }

  private text(value: string): void {
    const encoded = new TextEncoder().encode(value);
    this.head(0xdb, encoded.length);
    for (const byte of encoded) this.bytes.push(byte);
  }

  private head(type: number, length: number): void {
    this.bytes.push(type, length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255);
  }
}
