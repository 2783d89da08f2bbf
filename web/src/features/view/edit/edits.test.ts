import { describe, expect, it } from "vitest";
import { FrameArray, float64Array } from "@/api/frameArray";
import { numbersOf } from "../data/molecule";
import { addAtom, changeElement, deleteAtoms, moveAtoms, rotateAtoms } from "./edits";

const water = () =>
  new Map<string, unknown>([
    ["numbers", new FrameArray("<i8", [3], new Uint8Array(new BigInt64Array([8n, 1n, 1n]).buffer))],
    ["positions", float64Array(new Float64Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), [3, 3])],
    ["arrays.tags", new FrameArray("<i4", [3], new Uint8Array(new Int32Array([5, 6, 7]).buffer))],
    ["calc.energy", -3],
    ["constraints", [{ name: "FixAtoms", kwargs: { indices: [0, 2] } }]],
    ["info.name", "water"],
  ]);
const list = (frame: ReadonlyMap<string, unknown>, key: string) => [...(numbersOf(frame, key) ?? [])];

describe("an edit of a frame", () => {
  it("moves atoms, and results of the calculator are gone", () => {
    const moved = moveAtoms(water(), [1], [0, 0, 2]);
    expect(list(moved, "positions")).toEqual([0, 0, 0, 1, 0, 2, 0, 1, 0]);
    expect(moved.has("calc.energy")).toBe(false);
    expect(moved.get("info.name")).toBe("water");
  });

  it("rotates atoms around their centre", () => {
    const turned = list(rotateAtoms(water(), [1, 2], [0, 0, 1], 180), "positions");
    expect(turned.map((each) => Math.round(each * 1e9) / 1e9 + 0)).toEqual([0, 0, 0, 0, 1, 0, 1, 0, 0]);
  });

  it("rotates atoms on both sides of a boundary as one molecule", () => {
    const pair = (x: number[]) =>
      new Map<string, unknown>([
        ["numbers", new FrameArray("<i8", [2], new Uint8Array(new BigInt64Array([8n, 1n]).buffer))],
        ["positions", float64Array(new Float64Array([x[0] ?? 0, 5, 5, x[1] ?? 0, 5, 5]), [2, 3])],
        ["cell", float64Array(new Float64Array([10, 0, 0, 0, 10, 0, 0, 0, 10]), [3, 3])],
        ["pbc", new FrameArray("|b1", [3], new Uint8Array([1, 1, 1]))],
      ]);
    const turn = (x: number[]) =>
      list(rotateAtoms(pair(x), [0, 1], [0, 0, 1], 90), "positions").map((each) => Number(each.toFixed(6)));
    expect(turn([9.5, 0.5])).toEqual([10, 4.5, 5, 10, 5.5, 5]);
    expect(turn([4.5, 5.5])).toEqual([5, 4.5, 5, 5, 5.5, 5]);
  });

  it("deletes atoms from all arrays, and constraints follow", () => {
    const left = deleteAtoms(water(), [0]);
    expect(list(left, "numbers")).toEqual([1, 1]);
    expect(list(left, "arrays.tags")).toEqual([6, 7]);
    expect(left.get("constraints")).toEqual([{ name: "FixAtoms", kwargs: { indices: [1] } }]);
    expect(deleteAtoms(left, [1]).get("constraints")).toEqual([]);
  });

  it("adds an atom to all arrays", () => {
    const more = addAtom(water(), 29, [1, 2, 3]);
    expect(list(more, "numbers")).toEqual([8, 1, 1, 29]);
    expect(list(more, "positions").slice(9)).toEqual([1, 2, 3]);
    expect(list(more, "arrays.tags")).toEqual([5, 6, 7, 0]);
  });

  it("changes elements", () => {
    expect(list(changeElement(water(), [1, 2], 9), "numbers")).toEqual([8, 9, 9]);
  });
});
