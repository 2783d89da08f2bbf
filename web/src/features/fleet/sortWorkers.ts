import type { Worker } from "@/api/schema";

/** Connected workers first, then by name. Sorting by state would make the cards jump. */
export function sortWorkers<W extends Pick<Worker, "state" | "name" | "id">>(workers: W[]): W[] {
  const isOffline = ({ state }: W) => Number(state === "offline");
  return workers.toSorted(
    (a, b) =>
      isOffline(a) - isOffline(b) ||
      a.name.localeCompare(b.name, "en", { numeric: true }) ||
      (a.id < b.id ? -1 : 1),
  );
}
