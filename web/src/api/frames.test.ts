import { expect, test } from "vitest";
import { decodeFrames, numbersOf } from "./frames";
import { decodeMsgpack } from "./msgpack";

const bytesOf = (...values: number[]) => new Uint8Array(values);
const text = (value: string) => [0xa0 + value.length, ...new TextEncoder().encode(value)];

/** A message with one block of `count` frames. */
function message(count: number, columns: number[][], buffers: ArrayBufferView[]): ArrayBuffer {
  const directory = [0x81, ...text("blocks"), 0x91, 0x92, count, 0x90 + columns.length, ...columns.flat()];
  const start = Math.ceil((8 + directory.length) / 8) * 8;
  const sizes = buffers.map((buffer) => Math.ceil(buffer.byteLength / 8) * 8);
  const whole = new Uint8Array(start + sizes.reduce((sum, size) => sum + size, 0));
  whole.set(new TextEncoder().encode("WRF1"));
  new DataView(whole.buffer).setUint32(4, directory.length, true);
  whole.set(directory, 8);
  let at = start;
  buffers.forEach((buffer, index) => {
    whole.set(new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength), at);
    at += sizes[index] ?? 0;
  });
  return whole.buffer;
}

const stack = (key: string, dtype: string, shape: number[], offset: number) => [
  0x95,
  ...text(key),
  ...text("stack"),
  ...text(dtype),
  0x90 + shape.length,
  ...shape,
  offset,
];

test("arrays are views of the message, not copies", () => {
  const positions = Float32Array.from([1, 2, 3, 4, 5, 6]);
  const buffer = message(2, [stack("positions", "<f4", [1, 3], 0)], [positions]);
  const [block] = decodeFrames(buffer);

  const [column] = block?.columns ?? [];
  if (column?.kind !== "stack") throw new Error("no array");
  expect(block?.count).toBe(2);
  expect([...(column.data as Float32Array)]).toEqual([1, 2, 3, 4, 5, 6]);
  expect(column.data.buffer).toBe(buffer);
});

test("every buffer is found at its own place", () => {
  const buffer = message(
    1,
    [stack("a", "|b1", [3], 0), stack("b", "<i8", [], 8), stack("c", "<U2", [1], 16)],
    [bytesOf(1, 0, 1), BigInt64Array.from([-7n]), bytesOf(65, 0, 0, 0, 66, 0, 0, 0)],
  );
  const columns = decodeFrames(buffer)[0]?.columns ?? [];

  expect(columns.map((each) => ("data" in each ? [...each.data] : null))).toEqual([
    [1, 0, 1],
    [-7n],
    [65, 0, 0, 0, 66, 0, 0, 0],
  ]);
});

test("one array may be shared by all frames of a block", () => {
  const cell = Float64Array.from([1, 0, 0, 1]);
  const same = [0x95, ...text("cell"), ...text("same"), ...text("<f8"), 0x92, 2, 2, 0];
  const [column] = decodeFrames(message(100, [same], [cell]))[0]?.columns ?? [];

  expect(column).toMatchObject({ kind: "same", shape: [2, 2] });
  expect(column && "data" in column && column.data.length).toBe(4);
});

test("plain values are read as they are", () => {
  const values = [0x93, ...text("name"), ...text("values"), 0x93, ...text("a"), 0xc0, 0xff];
  const value = [0x93, ...text("ok"), ...text("value"), 0xc3];

  expect(decodeFrames(message(3, [values, value], []))[0]?.columns).toEqual([
    { key: "name", kind: "values", values: ["a", null, -1] },
    { key: "ok", kind: "value", value: true },
  ]);
});

test("columns of numbers become floats, and others are left out", () => {
  const buffer = message(
    2,
    [
      stack("f", "<f8", [], 0),
      stack("i", "<i8", [], 16),
      stack("b", "|b1", [], 32),
      stack("v", "<f8", [1], 0),
    ],
    [Float64Array.from([0.5, Number.NaN]), BigInt64Array.from([3n, -4n]), bytesOf(1, 0)],
  );
  const numbers = (decodeFrames(buffer)[0]?.columns ?? []).map(numbersOf);

  expect(numbers.map((each) => each && [...each])).toEqual([[0.5, Number.NaN], [3, -4], [1, 0], null]);
});

test("what is no message is refused", () => {
  const good = message(1, [stack("a", "<f8", [4], 0)], [new Float64Array(4)]);

  expect(() => decodeFrames(new ArrayBuffer(4))).toThrow(RangeError);
  expect(() => decodeFrames(new ArrayBuffer(64))).toThrow(RangeError);
  expect(() => decodeFrames(good.slice(0, good.byteLength - 8))).toThrow(RangeError);
  expect(() => decodeFrames(good.slice(0, 20))).toThrow(RangeError);
});

test.each([
  [[0xcd, 1, 0], 256],
  [[0xce, 0, 1, 0, 0], 65536],
  [[0xcf, 0, 0, 0, 1, 0, 0, 0, 0], 2 ** 32],
  [[0xd0, 0x80], -128],
  [[0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe], -2],
  [[0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0], 1.5],
  [[0xd9, 2, 0xc3, 0xbc], "ü"],
  [[0xdc, 0, 1, 0xc2], [false]],
  [[0xde, 0, 1, 0xa1, 97, 1], { a: 1 }],
])("MessagePack %j is %j", (packed, value) => {
  expect(decodeMsgpack(bytesOf(...packed))).toEqual(value);
});

test.each([[[0xc1]], [[0xcd, 1]], [[1, 2]], [[0x91]], [[]]])("MessagePack %j is refused", (packed) => {
  expect(() => decodeMsgpack(bytesOf(...packed))).toThrow(RangeError);
});
