import { describe, expect, it } from "vitest";
import { Previews } from "./previews";

const preview = (jobId: string, frame = 0, atoms = 2) => ({
  jobId,
  frame,
  positions: new Float32Array(atoms * 3),
});

describe("previews", () => {
  it("are shown for their frame, the newest first", () => {
    const previews = new Previews();
    previews.show(preview("a"));
    previews.show(preview("b"));
    previews.show(preview("a"));
    expect(previews.of(0, 2)?.jobId).toBe("a");
    expect(previews.of(1, 2)).toBeNull();
    previews.end("a");
    expect(previews.of(0, 2)?.jobId).toBe("b");
  });

  it("need as many atoms as the frame", () => {
    const previews = new Previews();
    previews.show(preview("a", 0, 3));
    expect(previews.of(0, 2)).toBeNull();
  });

  it("do not come back after the end of their job", () => {
    const previews = new Previews();
    previews.end("a");
    previews.show(preview("a"));
    expect(previews.of(0, 2)).toBeNull();
  });

  it("are over when their frame changes", () => {
    const previews = new Previews();
    previews.show(preview("a", 3));
    previews.change(4);
    expect(previews.of(3, 2)).not.toBeNull();
    previews.change(2);
    expect(previews.of(3, 2)).toBeNull();
  });
});
