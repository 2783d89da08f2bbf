/** Where the server is mounted in another application, and whether that has users of its own. */
const PREFIX = contentOf("prefix") ?? "";

/** The address of this server, as programs take it. */
export const SERVER_URL = `${globalThis.location?.origin ?? ""}${PREFIX}`;

/** Where people log in and out of the application around this server; null if they log in here. */
export const LOGIN_URL = contentOf("login-url");
export const LOGOUT_URL = contentOf("logout-url");
export const hasOwnUsers = LOGIN_URL !== null;

/** The address of a path of this server. Other addresses stay as they are. */
export function mounted(path: string): string {
  return path.startsWith("/") && !path.startsWith("//") ? `${PREFIX}${path}` : path;
}

/** A path of this server in an address of the browser. */
export function unmounted(path: string): string {
  if (path === PREFIX) return "/";
  return path.startsWith(`${PREFIX}/`) ? path.slice(PREFIX.length) : path;
}

/** Null outside of a browser, where modules that import this one are tested. */
function contentOf(name: string): string | null {
  return globalThis.document?.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null;
}
