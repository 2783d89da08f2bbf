import { forgetViewToken, viewToken } from "./viewToken";

/** Whether this browser is logged in, as far as the page can see: the token's own cookie is hidden from it. */
const NAME = document.querySelector<HTMLMetaElement>('meta[name="session-cookie"]')?.content;

/** Without the server's meta element, as in development, only a request can tell. */
export function hasSession(): boolean {
  if (viewToken()) return true;
  return NAME === undefined || document.cookie.split("; ").some((each) => each.startsWith(`${NAME}=`));
}

/** The server does not accept the token any more. */
export function forgetSession(): void {
  forgetViewToken();
  // biome-ignore lint/suspicious/noDocumentCookie: plain HTTP has no Cookie Store API
  if (NAME) document.cookie = `${NAME}=; Max-Age=0; Path=/; SameSite=Strict`;
}
