import { problemOf } from "@/api/problem";
import { type Thing, thingOf } from "@/components/results/thing";

export async function readPreview(id: string): Promise<Thing | null> {
  const response = await fetch(`/api/jobs/${id}/preview`);
  if (response.status === 404) return null;
  if (!response.ok) throw await problemOf(response);
  return thingOf(response);
}
