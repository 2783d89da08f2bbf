import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const page = fileURLToPath(new URL("../src/workroom/server/page", import.meta.url));

/** Code of the first view comes in two chunks: what changes with each release, and what rarely does. */
const FIRST = [
  { name: "react", test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 1 },
  { name: "first", tags: ["$initial" as const] },
];

/** Writes a .gz file beside each asset: the server does not compress by itself. */
function gzipAssets(): Plugin {
  const isText = (name: string) => /\.(m?js|css|svg)$/.test(name);
  return {
    name: "gzip-assets",
    apply: "build",
    closeBundle() {
      const folder = join(page, "assets");
      for (const name of readdirSync(folder).filter(isText)) {
        const path = join(folder, name);
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  base: "./", // the server may be mounted under a path: it completes the addresses in the document
  plugins: [react(), gzipAssets()],
  resolve: {
    alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) },
  },
  build: {
    outDir: page,
    emptyOutDir: true,
    chunkSizeWarningLimit: 5500,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: FIRST } } },
  },
  server: {
    proxy: {
      "/api": "http://127.0.0.1:8000",
      "/socket.io": { target: "ws://127.0.0.1:8000", ws: true },
    },
  },
});
