import { expect, it } from "vitest";
import { formatBytes, formatDuration, pluralize } from "./format";
import { titleOf } from "./tools";

it.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1500, "1.5 s"],
  [59_900, "59 s"],
  [185_000, "3 min 5 s"],
  [7_200_000, "2 h"],
  [273_600_000, "3 d 4 h"],
])("%d ms reads %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

it.each([
  [0, "0 B"],
  [999, "999 B"],
  [1234, "1.2 kB"],
  [1_000_000_000, "1.0 GB"],
])("%d bytes read %s", (size, text) => expect(formatBytes(size)).toBe(text));

it.each([
  ["EstimatePi", "Estimate pi"],
  ["count_words", "Count words"],
  ["RDFPlot", "RDF plot"],
  ["x", "X"],
])("%s has the title %s", (name, title) => expect(titleOf(name)).toBe(title));

it("uses the plural and groups digits", () => {
  expect(pluralize(1, "job")).toBe("1 job");
  expect(pluralize(12_000, "job")).toBe("12,000 jobs");
});
