/** Keeps unsubmitted form values across reloads of this tab. Secret values are never kept. */
import type { ExtensionId } from "@/api/queries";
import { withoutMasks } from "./secrets";

export type Values = Record<string, unknown>;

function keyOf(room: string, { category, name }: ExtensionId): string {
  return `draft:${room}/${category}/${name}`;
}

export function saveDraft(room: string, id: ExtensionId, values: Values): void {
  try {
    sessionStorage.setItem(keyOf(room, id), JSON.stringify(withoutMasks(values)));
  } catch {
    // Without storage the draft is lost, but the form works.
  }
}

export function loadDraft(room: string, id: ExtensionId): Values | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(room, id)) ?? "null");
  } catch {
    return null;
  }
}

export function deleteDraft(room: string, id: ExtensionId): void {
  sessionStorage.removeItem(keyOf(room, id));
}
