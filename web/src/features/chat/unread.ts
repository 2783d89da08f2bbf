import type { ChatMessage } from "@/api/schema";

/** Counts messages of others after the last one seen. */
export function unreadOf(messages: ChatMessage[], seen: number, me: string): number {
  return messages.filter(({ seq, user }) => seq > seen && user !== me).length;
}

/** The error without the job id, which is shown as a link. */
export function failureOf({ text, job_id }: Pick<ChatMessage, "text" | "job_id">): string {
  const prefix = `job ${job_id} failed: `;
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}
