/** Values that were typed and not yet submitted outlive a refresh, in this window. */
import type { ExtensionId } from "@/api/queries";

export type Values = Record<string, unknown>;

function keyOf(room: string, { category, name }: ExtensionId): string {
  return `draft:${room}/${category}/${name}`;
}

export function keepDraft(room: string, id: ExtensionId, values: Values): void {
  try {
    sessionStorage.setItem(keyOf(room, id), JSON.stringify(values));
  } catch {
    // A full or forbidden storage costs the draft, not the form.
  }
}

export function draftOf(room: string, id: ExtensionId): Values | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(room, id)) ?? "null");
  } catch {
    return null;
  }
}

export function dropDraft(room: string, id: ExtensionId): void {
  sessionStorage.removeItem(keyOf(room, id));
}
