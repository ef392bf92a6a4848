import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Where `npm run dev` finds a running `mcpulse serve`. */
const target = process.env["MCPULSE_DEV_TARGET"] ?? "http://127.0.0.1:7077";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("src", import.meta.url)) } },
  build: {
    target: "es2023",
    // The server's content security policy names no `data:` source and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    host: "127.0.0.1",
    // The server checks Host and Origin, so both must be its own.
    proxy: {
      "^/(v1|health|openapi.json|docs)": {
        target,
        changeOrigin: true,
        headers: { origin: target },
      },
    },
  },
  test: {
    // Two workers: the machines that run this are small and shared.
    maxWorkers: 2,
    testTimeout: 60_000,
    projects: [
      // Most of what is plain calculation needs no browser, and starts at once without one.
      { extends: true, test: { name: "plain", environment: "node", include: ["src/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "page",
          environment: "happy-dom",
          include: ["src/**/*.test.tsx"],
          setupFiles: ["src/test/setup.ts"],
          css: { modules: { classNameStrategy: "non-scoped" } },
        },
      },
    ],
  },
});
