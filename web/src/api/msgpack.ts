/** Reads MessagePack, as far as the directory of a message of frames uses it: no extension types. */
const TEXT = new TextDecoder();

class Reader {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  read(): unknown {
    const type = this.uint(1);
    if (type < 0x80) return type;
    if (type < 0x90) return this.map(type & 0x0f);
    if (type < 0xa0) return this.list(type & 0x0f);
    if (type < 0xc0) return this.text(type & 0x1f);
    if (type >= 0xe0) return type - 0x100;
    return this.readLong(type);
  }

  private readLong(type: number): unknown {
    switch (type) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.take(this.uint(1 << (type - 0xc4)));
      case 0xca:
        return this.view.getFloat32(this.skip(4));
      case 0xcb:
        return this.view.getFloat64(this.skip(8));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.uint(1 << (type - 0xcc));
      case 0xcf:
        return Number(this.view.getBigUint64(this.skip(8)));
      case 0xd0:
        return this.view.getInt8(this.skip(1));
      case 0xd1:
        return this.view.getInt16(this.skip(2));
      case 0xd2:
        return this.view.getInt32(this.skip(4));
      case 0xd3:
        return Number(this.view.getBigInt64(this.skip(8)));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.text(this.uint(1 << (type - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.list(this.uint(2 << (type - 0xdc)));
      case 0xde:
      case 0xdf:
        return this.map(this.uint(2 << (type - 0xde)));
      default:
        throw new RangeError(`unknown MessagePack type ${type}`);
    }
  }

  private skip(size: number): number {
    const start = this.at;
    if (start + size > this.bytes.length) throw new RangeError("the MessagePack ends too early");
    this.at += size;
    return start;
  }

  private uint(size: number): number {
    const start = this.skip(size);
    if (size === 1) return this.view.getUint8(start);
    return size === 2 ? this.view.getUint16(start) : this.view.getUint32(start);
  }

  private take(size: number): Uint8Array {
    const start = this.skip(size);
    return this.bytes.subarray(start, start + size);
  }

  private text(size: number): string {
    return TEXT.decode(this.take(size));
  }

  private list(size: number): unknown[] {
    const items: unknown[] = [];
    for (let index = 0; index < size; index++) items.push(this.read());
    return items;
  }

  private map(size: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (let index = 0; index < size; index++) entries.push([String(this.read()), this.read()]);
    return Object.fromEntries(entries);
  }
}

export function decodeMsgpack(bytes: Uint8Array): unknown {
  const reader = new Reader(bytes);
  const value = reader.read();
  if (!reader.isAtEnd) throw new RangeError("there is more than one MessagePack value");
  return value;
}
