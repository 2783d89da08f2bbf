import { mounted, SERVER_URL } from "@/api/mount";

/** An invite is a link: the room and the code are in the fragment, which browsers do not send. */
export interface Invite {
  room: string;
  code: string;
}

const PATH = "/join";

export function linkOf({ room, code }: Invite): string {
  return `${SERVER_URL}${PATH}#${room}/${code}`;
}

/** The invite in a link, or in what is behind its hash. */
export function inviteIn(text: string): Invite | null {
  const [, room = "", code = ""] = /([^#/\s]+)\/([^#/\s]+)\s*$/.exec(text.slice(text.indexOf("#") + 1)) ?? [];
  return room && code ? { room, code } : null;
}

/** The invite of the page's own address. */
export function ownInvite(): Invite | null {
  return window.location.pathname === mounted(PATH) ? inviteIn(window.location.hash) : null;
}

/** What was typed as the code of a room may be a whole link, and that of another room. */
export function enteredInvite(text: string, room: string): Invite {
  return text.includes("#") ? (inviteIn(text) ?? { room, code: "" }) : { room, code: text.trim() };
}
