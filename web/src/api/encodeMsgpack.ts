/** MessagePack, as far as JSON values need it. */

export function encodeMsgpack(value: unknown): Uint8Array {
  const encoder = new Encoder();
  encoder.value(value);
  return Uint8Array.from(encoder.bytes);
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
