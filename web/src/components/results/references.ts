import { isObject } from "./envelopes";

export interface Reference {
  artifact: string;
  size: number;
}

/** A result that is too large for a report is an artifact, which the report names. */
export function isReference(value: unknown): value is Reference {
  return (
    isObject(value) &&
    value.artifact === "result.json" &&
    typeof value.size === "number" &&
    Object.keys(value).toSorted().join() === "artifact,media_type,sha256,size"
  );
}

/** The artifacts that a result refers to, and so shows. */
export function artifactsIn(value: unknown): Set<string> {
  const found = new Set<string>();
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(visit);
    if (!isObject(part)) return;
    const isNamed = part.$type === "bytes" || part.$type === "file" || isReference(part);
    if (isNamed && typeof part.artifact === "string") found.add(part.artifact);
    else Object.values(part).forEach(visit);
  };
  visit(value);
  return found;
}
