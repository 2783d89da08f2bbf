import { expect, test } from "vitest";
import { rangeOfPage, textOfPage } from "./pageOfText";

const TEXT = "a é € 😀 z".repeat(20);
const BYTES = new TextEncoder().encode(TEXT);

function pagesOf(pageBytes: number): string[] {
  const count = Math.ceil(BYTES.length / pageBytes);
  return Array.from({ length: count }, (_, page) => {
    const [first, last] = rangeOfPage(page, pageBytes, BYTES.length);
    return textOfPage(BYTES.subarray(first, last), pageBytes);
  });
}

test.each([4, 5, 7, 16, 1000])(
  "pages of %i bytes are the text, with no character cut or repeated",
  (size) => {
    expect(pagesOf(size).join("")).toBe(TEXT);
  },
);

test("an empty page has no text", () => {
  expect(textOfPage(new Uint8Array(), 10)).toBe("");
});
