import { describe, expect, it } from "vitest";
import { encodeMsgpack } from "./encodeMsgpack";
import { FrameArray, float64Array } from "./frameArray";
import { decodeMessage, encodeMessage } from "./frameMessage";
import { decodeMsgpack } from "./msgpack";

const numbers = (value: unknown) => [...((value as FrameArray).numbers ?? [])];

/** A message as another program may write it, with blocks and buffers of any kind. */
function message(blocks: unknown, buffers: Uint8Array): ArrayBuffer {
  const directory = encodeMsgpack({ blocks });
  const begin = Math.ceil((8 + directory.length) / 8) * 8;
  const bytes = new Uint8Array(begin + buffers.length);
  bytes.set(new TextEncoder().encode("WRF1"));
  new DataView(bytes.buffer).setUint32(4, directory.length, true);
  bytes.set(directory, 8);
  bytes.set(buffers, begin);
  return bytes.buffer;
}

describe("a message of frames", () => {
  it("is what was encoded", () => {
    const frame = new Map<string, unknown>([
      ["positions", float64Array(new Float64Array([1, 2, 3, 4, 5, 6]), [2, 3])],
      ["pbc", new FrameArray("|b1", [3], new Uint8Array([1, 0, 1]))],
      ["info.energy", -1.5],
      ["info.name", "wäter"],
      ["constraints", [{ name: "FixAtoms", kwargs: { indices: [0, 300, 70_000] } }]],
      ["info.none", null],
    ]);
    const [found] = decodeMessage(encodeMessage(frame).buffer as ArrayBuffer);
    expect(numbers(found?.get("positions"))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(found?.get("positions")).toMatchObject({ dtype: "<f8", shape: [2, 3] });
    expect(numbers(found?.get("pbc"))).toEqual([1, 0, 1]);
    for (const key of ["info.energy", "info.name", "constraints", "info.none"])
      expect(found?.get(key)).toEqual(frame.get(key));
  });

  it("has rows of its own for each frame of a stack, and one array for all that share it", () => {
    const buffers = new Uint8Array(32);
    buffers.set(new Uint8Array(new Float32Array([1, 2, 3, 4]).buffer));
    buffers.set(new Uint8Array(new BigInt64Array([29n, -8n]).buffer), 16);
    const frames = decodeMessage(
      message(
        [
          [
            2,
            [
              ["x", "stack", "<f4", [2], 0],
              ["numbers", "same", "<i8", [2], 16],
              ["n", "values", [7, null]],
            ],
          ],
        ],
        buffers,
      ),
    );
    expect(frames.map((frame) => numbers(frame.get("x")))).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(numbers(frames[1]?.get("numbers"))).toEqual([29, -8]);
    expect(frames[0]?.get("numbers")).toBe(frames[1]?.get("numbers"));
    expect(frames.map((frame) => frame.get("n"))).toEqual([7, null]);
  });

  it("is refused if it is something else", () => {
    expect(() => decodeMessage(new TextEncoder().encode("<html></html>").buffer as ArrayBuffer)).toThrow(
      "no message of frames",
    );
  });
});

describe("numbers of an array", () => {
  it("are read from all types of whole and real numbers", () => {
    const of = (dtype: string, array: ArrayBufferView) =>
      numbers(new FrameArray(dtype, [1], new Uint8Array(array.buffer as ArrayBuffer)));
    expect(of("<f8", new Float64Array([0.1]))).toEqual([0.1]);
    expect(of("|i1", new Int8Array([-3]))).toEqual([-3]);
    expect(of("<u2", new Uint16Array([65535]))).toEqual([65535]);
    expect(of("<u8", new BigUint64Array([5n]))).toEqual([5]);
    expect(of("<f2", new Uint16Array([0x3c00, 0xc000, 0x0001]))).toEqual([1, -2, 2 ** -24]);
    expect(new FrameArray("<U2", [1], new Uint8Array(8)).numbers).toBeNull();
  });
});

describe("MessagePack", () => {
  it("is what was encoded", () => {
    for (const value of [0, -1, 1e9, -(2 ** 40), 1.5, "", "é", true, null, [1, [2]], { a: { b: [] } }])
      expect(decodeMsgpack(encodeMsgpack(value))).toEqual(value);
  });

  it("has short forms", () => {
    expect(decodeMsgpack(new Uint8Array([0x93, 0x7f, 0xff, 0xa1, 0x61]))).toEqual([127, -1, "a"]);
    expect(decodeMsgpack(new Uint8Array([0x81, 0xa1, 0x61, 0xcd, 1, 0]))).toEqual({ a: 256 });
    expect(() => decodeMsgpack(new Uint8Array([0xa5, 0x61]))).toThrow();
  });
});
