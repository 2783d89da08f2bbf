/** What a group is called, and where it stands, in words. */
import type { Group } from "@/api/schema";

const CHANGING = { cancel: "Cancelling", pause: "Pausing", resume: "Resuming", close: "Closing" };

export function groupTitle({ title }: Pick<Group, "title">): string {
  return title || "Group of jobs";
}

export function isGroupOver({ counts, open }: Pick<Group, "counts" | "open">): boolean {
  return !open && counts.pending + counts.assigned + counts.running === 0;
}

export function stateOf(group: Group): string {
  if (group.changing) return CHANGING[group.changing];
  if (group.cancelled) return "Cancelled";
  if (isGroupOver(group)) return group.counts.completed === group.total ? "All completed" : "Ended";
  if (group.paused) return "Paused: no further jobs start";
  return `${Math.floor(group.progress * 100)} % ended`;
}
