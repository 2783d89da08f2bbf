const LONGEST_CHARACTER = 4; // bytes in UTF-8

/** The bytes to read for a page of a text, so that no character is cut: a few more than the page has. */
export function rangeOfPage(page: number, pageBytes: number, size: number): [first: number, last: number] {
  const first = page * pageBytes;
  return [first, Math.min(first + pageBytes + LONGEST_CHARACTER - 1, size)];
}

/** The characters that begin on the page, of the bytes that `rangeOfPage` names. */
export function textOfPage(bytes: Uint8Array, pageBytes: number): string {
  const first = bytes.findIndex((byte) => !isWithinCharacter(byte));
  let last = Math.min(pageBytes, bytes.length);
  while (last < bytes.length && isWithinCharacter(bytes[last] ?? 0)) last += 1;
  return new TextDecoder().decode(bytes.subarray(Math.max(0, first), last));
}

function isWithinCharacter(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}
