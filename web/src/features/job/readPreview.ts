import { mounted } from "@/api/mount";
import { problemOf } from "@/api/problem";
import { type Content, readContent } from "@/components/results/content";

export async function readPreview(id: string): Promise<Content | null> {
  const response = await fetch(mounted(`/api/jobs/${id}/preview`));
  if (response.status === 404) return null;
  if (!response.ok) throw await problemOf(response);
  return readContent(response);
}
