import { expect, it } from "vitest";
import type { Extension } from "@/api/schema";
import { groupTools, titleOf } from "./tools";

const tool = (category: string, name: string) => ({ category, name, schema: {} }) as Extension;

it("sorts categories and tools by name, ignoring case", () => {
  const found = groupTools([
    tool("media", "Zoom"),
    tool("media", "blur"),
    tool("analysis", "RDFPlot"),
    tool("media", "Crop"),
  ]);

  expect(found.map(({ name, tools }) => [name, ...tools.map((each) => each.name)])).toEqual([
    ["analysis", "RDFPlot"],
    ["media", "blur", "Crop", "Zoom"],
  ]);
});

it.each([
  ["EstimatePi", "Estimate pi"],
  ["RDFPlot", "RDF plot"],
  ["Properties2D", "Properties 2D"],
  ["Relax2", "Relax2"],
])("%s is called %s", (name, title) => {
  expect(titleOf(name)).toBe(title);
});
