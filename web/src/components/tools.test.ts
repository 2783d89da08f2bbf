import { expect, it } from "vitest";
import type { Extension } from "@/api/schema";
import { groupTools } from "./tools";

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
