import { describe, expect, it, vi } from "vitest";
import { float64Array } from "@/api/frameArray";
import type { FrameRange } from "@/api/frameRequests";
import { Trajectory } from "./trajectory";

function setUp(length: number, atoms = 1000) {
  const ranges: string[] = [];
  let edition = 0;
  const read = async ({ start, stop }: FrameRange) => {
    ranges.push(`${start}-${stop}`);
    const positions = float64Array(new Float64Array(atoms * 3), [atoms, 3]);
    const frames = Array.from(
      { length: stop - start },
      (_, at) =>
        new Map<string, unknown>([
          ["positions", positions],
          ["name", `${start + at}/${edition}`],
        ]),
    );
    return { frames, version: 1, length };
  };
  const trajectory = new Trajectory(read, ["positions"], { loaded: () => {}, failed: () => {} });
  trajectory.append(length, 1);
  const wanted = (index: number, name: string, direction: 1 | -1 = 1) =>
    vi.waitFor(() => {
      trajectory.want(index, direction);
      expect(trajectory.get(index)?.get("name")).toBe(name);
    });
  return { trajectory, ranges, wanted, change: () => (edition += 1) };
}

describe("a trajectory", () => {
  it("reads the first frame alone, and then ranges ahead", async () => {
    const { trajectory, ranges, wanted } = setUp(1000);
    await wanted(0, "0/0");
    expect(ranges[0]).toBe("0-1");
    await wanted(1, "1/0");
    expect(ranges[1]).toBe("1-83");
    trajectory.want(2);
    trajectory.want(3);
    await wanted(100, "100/0");
    expect(ranges.length).toBeLessThan(5);
  });

  it("reads ranges backwards", async () => {
    const { ranges, wanted } = setUp(1000);
    await wanted(900, "900/0", -1);
    await wanted(899, "899/0", -1);
    expect(ranges[1]).toBe("818-900");
  });

  it("does not ask twice for what is under way", () => {
    const { trajectory, ranges } = setUp(10);
    trajectory.want(3);
    trajectory.want(3);
    expect(ranges).toEqual(["3-4"]);
  });

  it("reads again what changed, and keeps what did not", async () => {
    const { trajectory, wanted, change } = setUp(10);
    await wanted(0, "0/0");
    await wanted(9, "9/0");
    change();
    trajectory.change(5, 10, 2);
    expect(trajectory.get(0)?.get("name")).toBe("0/0");
    expect(trajectory.get(9)).toBeUndefined();
    await wanted(9, "9/1");
  });

  it("ignores a response from before the change", async () => {
    const { trajectory, wanted, change } = setUp(10);
    trajectory.want(0);
    change();
    trajectory.change(0, 10, 2);
    await wanted(0, "0/1");
  });

  it("knows the frames that were appended", async () => {
    const { trajectory, wanted } = setUp(2);
    await wanted(1, "1/0");
    trajectory.append(3, 2);
    await wanted(2, "2/0");
  });
});
