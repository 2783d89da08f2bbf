import { expect, it } from "vitest";
import type { Extension } from "@/api/schema";
import { grouped } from "./tools";

const tool = (category: string, name: string) => ({ category, name, schema: {} }) as Extension;

it("lists categories and tools by name, whatever letters they begin with", () => {
  const found = grouped([
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
