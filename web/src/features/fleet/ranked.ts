import type { Worker } from "@/api/schema";

/** Those who are here before those who are not, then by name: cards do not jump when work moves. */
export function ranked<W extends Pick<Worker, "state" | "name" | "id">>(workers: W[]): W[] {
  const isAway = ({ state }: W) => Number(state === "offline");
  return workers.toSorted(
    (a, b) =>
      isAway(a) - isAway(b) ||
      a.name.localeCompare(b.name, "en", { numeric: true }) ||
      (a.id < b.id ? -1 : 1),
  );
}
