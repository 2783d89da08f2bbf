const KEY = "guest-secret";

/** The secret with which a guest returns as the same one. Undefined where the browser stores nothing. */
export function guestSecret(): string | undefined {
  try {
    const stored = localStorage.getItem(KEY);
    if (stored) return stored;
    const made = Array.from(crypto.getRandomValues(new Uint8Array(24)), hex).join("");
    localStorage.setItem(KEY, made);
    return made;
  } catch {
    return undefined;
  }
}

/** On logout: whoever uses this browser next is somebody else. */
export function forgetGuestSecret() {
  try {
    localStorage.removeItem(KEY);
  } catch {
    return;
  }
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
