import { describe, expect, it } from "vitest";
import { csv, seen } from "./thing";

describe("how a result is shown", () => {
  it.each([
    ["a number", 3, "json"],
    ["a flat object", { pi: 3.14 }, "json"],
    ["records", [{ a: 1 }, { a: 2 }], "table"],
    ["records that are not flat", [{ a: { b: 1 } }], "json"],
    ["an empty list", [], "json"],
    ["a figure", { data: [{ y: [1] }], layout: {} }, "plot"],
    ["a picture", "data:image/png;base64,AAAA", "image"],
    ["a text", "hello", "text"],
    ["a text with headings", "# Report\n\nfine", "markdown"],
    ["markdown by name", { markdown: "*hi*" }, "markdown"],
    ["an object with a table inside", { words: 2, table: [{ a: 1 }] }, "parts"],
    ["a script that says it is a picture", "data:text/html,<script>", "text"],
  ])("%s", (_, value, kind) => {
    expect(seen(value).kind).toBe(kind);
  });

  it("reads quoted CSV", () => {
    expect(csv('name,said\r\nada,"a, ""b""\nc"\r\nbob,\r\n')).toEqual([
      { name: "ada", said: 'a, "b"\nc' },
      { name: "bob", said: "" },
    ]);
  });
});
