import type { Annotation, AnnotationBody } from "@/api/schema";

export interface Written {
  name: string;
  tags: string[];
  note: string;
}

export function writtenIn(annotation: Annotation | null | undefined): Written {
  return { name: annotation?.name ?? "", tags: annotation?.tags ?? [], note: annotation?.note ?? "" };
}

/** Only what differs: the rest may have been changed by somebody else in the meantime. */
export function changesOf(before: Written, now: Written): AnnotationBody {
  const isSame = (key: keyof Written) => JSON.stringify(before[key]) === JSON.stringify(now[key]);
  const { name, tags, note } = now;
  return {
    ...(!isSame("name") && { name }),
    ...(!isSame("tags") && { tags }),
    ...(!isSame("note") && { note }),
  };
}
