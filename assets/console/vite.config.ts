import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { mantineStyles } from "./mantine.ts";

// A server to work with: SVC=http://127.0.0.1:8080 npm run dev
const server = process.env["SVC"] ?? "http://127.0.0.1:8080";

// The server answers these paths with the console; during development Vite does.
const pages: Plugin = {
  name: "pages",
  configureServer({ middlewares }) {
    middlewares.use((request, _response, next) => {
      if (/^\/(admin|login)(\/|\?|$)/.test(request.url ?? "")) {
        request.url = "/console/";
      }
      next();
    });
  },
};

export default defineConfig({
  base: "/console/",
  plugins: [react(), mantineStyles(), pages],
  resolve: {
    alias: { "svc-sdk": fileURLToPath(new URL("../../clients/typescript/src/browser.ts", import.meta.url)) },
  },
  build: {
    // The first browsers with light-dark(), from spring 2024. For older ones, colours of both
    // themes would be rewritten to something that needs more than the attribute of the theme.
    target: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The server compresses what it sends; see api/pages.
    reportCompressedSize: false,
    assetsDir: ".",
    // Data addresses would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Browsers with native light-dark(): its replacement needs a rule that Mantine sets with a
    // script.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // The frame and the list, which nearly every page uses: one file instead of a hundred,
          // and fewer bytes.
          groups: [{ name: "first", test: /src\/(main|resource\/page)\.tsx$/ }],
        },
      },
    },
  },
  server: {
    proxy: { "/api": server, "/sdk": server, "/f": server },
  },
  test: { include: ["src/**/*.test.ts"] },
});
