import { describe, expect, it } from "vitest";
import { contentOf, csv } from "./content";

describe("contentOf", () => {
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
    ["a data URL that is not an image", "data:text/html,<script>", "text"],
  ])("%s", (_, value, kind) => {
    expect(contentOf(value).kind).toBe(kind);
  });

  it("reads quoted CSV", () => {
    expect(csv('name,text\r\nada,"a, ""b""\nc"\r\nbob,\r\n')).toEqual([
      { name: "ada", text: 'a, "b"\nc' },
      { name: "bob", text: "" },
    ]);
  });
});
