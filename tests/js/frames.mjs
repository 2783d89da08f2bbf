// Reads a message of frames, from docs/frames.md alone: node frames.mjs URL TOKEN.
// Arrays are typed arrays over the received bytes: nothing is copied.

const WIDTHS = { b: 1, i: 1, u: 1, f: 1, c: 1, U: 4, S: 1 };
const ARRAYS = {
  "|b1": Uint8Array,
  "|i1": Int8Array,
  "<i2": Int16Array,
  "<i4": Int32Array,
  "<i8": BigInt64Array,
  "|u1": Uint8Array,
  "<u2": Uint16Array,
  "<u4": Uint32Array,
  "<u8": BigUint64Array,
  "<f4": Float32Array,
  "<f8": Float64Array,
  "<c8": Float32Array, // pairs
  "<c16": Float64Array,
};

export function readMessage(buffer) {
  const view = new DataView(buffer);
  if (view.getUint32(0) !== 0x57524631) throw new Error("not a message of frames"); // WRF1
  const length = view.getUint32(4, true);
  const directory = unpack(new DataView(buffer, 8, length));
  const start = Math.ceil((8 + length) / 8) * 8;
  return directory.blocks.flatMap(([count, columns]) =>
    Array.from({ length: count }, (_, index) =>
      Object.fromEntries(columns.map((column) => [column[0], valueOf(buffer, start, column, index)])),
    ),
  );
}

function valueOf(buffer, start, [, kind, ...rest], index) {
  if (kind === "values") return rest[0][index];
  if (kind === "value") return rest[0];
  const [dtype, shape, offset] = rest;
  const items = shape.reduce((product, size) => product * size, 1);
  const bytes = items * Number(dtype.slice(2)) * WIDTHS[dtype[1]];
  const at = start + offset + (kind === "stack" ? index * bytes : 0);
  return { shape, data: typed(buffer, dtype, at, bytes) };
}

function typed(buffer, dtype, at, bytes) {
  const Kind = ARRAYS[dtype] ?? (dtype[1] === "U" ? Uint32Array : Uint8Array); // text as code points
  return new Kind(buffer, at, bytes / Kind.BYTES_PER_ELEMENT);
}

// As much of MessagePack as a directory has.
function unpack(view) {
  let at = 0;
  const take = (size) => (at += size) - size;
  const text = (size) => {
    const start = take(size);
    return new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + start, size));
  };
  const list = (size) => Array.from({ length: size }, read);
  const map = (size) => Object.fromEntries(Array.from({ length: size }, () => [read(), read()]));
  const numbers = {
    0xca: () => view.getFloat32(take(4)),
    0xcb: () => view.getFloat64(take(8)),
    0xcc: () => view.getUint8(take(1)),
    0xcd: () => view.getUint16(take(2)),
    0xce: () => view.getUint32(take(4)),
    0xcf: () => Number(view.getBigUint64(take(8))),
    0xd0: () => view.getInt8(take(1)),
    0xd1: () => view.getInt16(take(2)),
    0xd2: () => view.getInt32(take(4)),
    0xd3: () => Number(view.getBigInt64(take(8))),
  };
  const others = {
    0xc0: () => null,
    0xc2: () => false,
    0xc3: () => true,
    0xd9: () => text(numbers[0xcc]()),
    0xda: () => text(numbers[0xcd]()),
    0xdb: () => text(numbers[0xce]()),
    0xdc: () => list(numbers[0xcd]()),
    0xdd: () => list(numbers[0xce]()),
    0xde: () => map(numbers[0xcd]()),
    0xdf: () => map(numbers[0xce]()),
  };
  function read() {
    const code = view.getUint8(take(1));
    if (code < 0x80) return code;
    if (code < 0x90) return map(code & 0x0f);
    if (code < 0xa0) return list(code & 0x0f);
    if (code < 0xc0) return text(code & 0x1f);
    if (code >= 0xe0) return code - 0x100;
    return (numbers[code] ?? others[code])();
  }
  return read();
}

const plain = (_, value) => {
  if (typeof value === "bigint") return Number(value);
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
};

const [url, token] = process.argv.slice(2);
const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
const message = await response.arrayBuffer();
const frames = readMessage(message);
const arrays = frames.flatMap((frame) => Object.values(frame)).filter((value) => value?.data);
const copied = arrays.some(({ data }) => data.buffer !== message);
const headers = Object.fromEntries([...response.headers].filter(([name]) => name.startsWith("frames-")));
process.stdout.write(JSON.stringify({ frames, headers, copied }, plain));
