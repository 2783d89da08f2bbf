import { mounted } from "./mount";

/**
 * In a frame of another site, such as a notebook, a page has no cookies. It logs in with the ticket in its address,
 * and keeps the token itself: for this tab if the browser allows it, so that the frame may be loaded again.
 */
const KEY = `view-token ${globalThis.location?.pathname}`; // two frames of one tab may show two rooms

/** False outside of a browser, where modules that import this one are tested. */
export const isFramed = globalThis.self !== globalThis.top;

let token = isFramed ? stored() : null;
let redeeming: Promise<void> | null = null;

export function viewToken(): string | null {
  return token;
}

/** The headers of a request, with the token of this frame if it has one. */
export function withViewToken(headers: Record<string, string> = {}): Record<string, string> {
  return token ? { ...headers, Authorization: `Bearer ${token}` } : headers;
}

/** Replaces the token of this frame. A page without one has a cookie instead. */
export function renewViewToken(fresh: string): void {
  if (token) keep(fresh);
}

export function forgetViewToken(): void {
  if (token) keep(null);
}

/** Logs in with the ticket in the address, once, and removes it from there. */
export function redeemTicket(): Promise<void> {
  redeeming ??= redeem();
  return redeeming;
}

async function redeem(): Promise<void> {
  const ticket = new URLSearchParams(window.location.hash.slice(1)).get("ticket");
  if (!ticket || !isFramed) return;
  history.replaceState(null, "", window.location.pathname);
  const response = await fetch(mounted("/api/login"), {
    method: "POST",
    body: JSON.stringify({ ticket }),
    headers: { "Content-Type": "application/json" },
  }).catch(() => null);
  if (response?.ok) keep(((await response.json()) as { token: string }).token);
}

function keep(fresh: string | null): void {
  token = fresh;
  try {
    if (fresh) sessionStorage.setItem(KEY, fresh);
    else sessionStorage.removeItem(KEY);
  } catch {
    // The browser keeps nothing for frames of other sites: the token lasts as long as the page.
  }
}

function stored(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
