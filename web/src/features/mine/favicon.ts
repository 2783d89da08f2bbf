import { mounted } from "@/api/mount";

const PLAIN = mounted("/icon.svg");
const STEPS = 20; // a new icon for each 5 % is enough
const COLOURS = { completed: "#2f9e44", failed: "#e03131" };

export type Mark = keyof typeof COLOURS | null;

/** The icon of the tab: with a bar while jobs run, and a dot after one has ended unseen. */
export function iconOf(fraction: number | null, mark: Mark): string {
  if (fraction === null && mark === null) return PLAIN;
  const parts = [
    '<rect width="32" height="32" rx="8" fill="#4263eb"/>',
    '<path d="M7 8l4 11 5-11 5 11 4-11" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>',
  ];
  if (fraction !== null) {
    const width = (Math.round(Math.min(1, Math.max(0, fraction)) * STEPS) / STEPS) * 28;
    parts.push('<rect x="2" y="23" width="28" height="7" rx="3" fill="#1b2a6b"/>');
    parts.push(`<rect x="2" y="23" width="${width}" height="7" rx="3" fill="#ffd43b"/>`);
  }
  if (mark)
    parts.push(`<circle cx="24" cy="8" r="7" fill="${COLOURS[mark]}" stroke="#fff" stroke-width="2"/>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${parts.join("")}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

export function setIcon(address: string): void {
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (link && link.getAttribute("href") !== address) link.setAttribute("href", address);
}
