/** White text can be read on each, and each can be seen on a light and on a dark background. */
export const PERSON_COLOURS = [
  "#126fd9",
  "#be4f05",
  "#0f8335",
  "#aa3ecf",
  "#dc1f2f",
  "#047d8a",
  "#727603",
  "#d71878",
  "#6a5ce8",
  "#996452",
] as const;

/**
 * A colour for each person. It depends on the id alone, unless somebody earlier in the list has the same one: then
 * the next free colour is taken.
 */
export function assignColours(users: Iterable<string>): ReadonlyMap<string, string> {
  const colours = new Map<string, string>();
  const taken = new Set<number>();
  for (const user of new Set(users)) {
    const place = freePlace(hash(user) % PERSON_COLOURS.length, taken);
    taken.add(place);
    colours.set(user, PERSON_COLOURS[place] as string);
  }
  return colours;
}

/** If all are taken, two people share one. */
function freePlace(wanted: number, taken: ReadonlySet<number>): number {
  const count = PERSON_COLOURS.length;
  for (let more = 0; more < count; more++)
    if (!taken.has((wanted + more) % count)) return (wanted + more) % count;
  return wanted;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}
