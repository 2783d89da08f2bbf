import type { FramesSummary } from "@/api/schema";

/** Whether the frames of a room are atoms. */
export function hasAtoms(frames: FramesSummary | undefined): frames is FramesSummary {
  const keys = new Set(frames?.keys.map(({ key }) => key));
  return keys.has("positions") && keys.has("numbers");
}
