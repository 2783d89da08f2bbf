import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The engine of the view without the page around it, for benchmarks/view.py. */
export default defineConfig({
  base: "./",
  publicDir: false,
  build: {
    outDir: at("../benchmarks/viewers/engine"),
    chunkSizeWarningLimit: 5500,
    emptyOutDir: true,
    rolldownOptions: {
      input: { moleculeView: at("src/features/view/engine/moleculeView.ts") },
      preserveEntrySignatures: "strict",
      output: { entryFileNames: "[name].js" },
    },
  },
});
