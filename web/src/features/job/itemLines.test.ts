import { describe, expect, it } from "vitest";
import { itemsOf, withoutItems } from "./itemLines";

const line = (seq: number, stream: "stdout" | "item", text: string, attempt = 1) => ({
  seq,
  attempt,
  at: "2024-02-29T12:00:00Z",
  stream,
  text,
});
const lines = [
  line(1, "item", '"old"', 1),
  line(2, "stdout", "hello", 2),
  line(3, "item", '{"a":1}', 2),
  line(4, "item", "{broken", 2),
];

describe("items", () => {
  it("are those of the current attempt", () => {
    expect(itemsOf(lines, 2)).toEqual([{ a: 1 }, "{broken"]);
  });

  it("are not lines of the log", () => {
    expect(withoutItems(lines).map(({ text }) => text)).toEqual(["hello"]);
  });
});
