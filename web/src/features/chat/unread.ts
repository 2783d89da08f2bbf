import type { ChatMessage } from "@/api/schema";

/** How many came after what was seen last, of others. */
export function unreadOf(messages: ChatMessage[], seen: number, me: string): number {
  return messages.filter(({ seq, user }) => seq > seen && user !== me).length;
}

/** What failed, without the number of the job: the line links to it. */
export function failureOf({ text, job_id }: Pick<ChatMessage, "text" | "job_id">): string {
  const opening = `job ${job_id} failed: `;
  return text.startsWith(opening) ? text.slice(opening.length) : text;
}
