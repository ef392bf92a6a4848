import { defineConfig } from "@playwright/test";
import { ARTIFACTS, STATE } from "./lib/paths.ts";

export default defineConfig({
  testDir: "tests",
  outputDir: `${ARTIFACTS}/failures`,
  globalSetup: "./lib/demo.ts",
  // One demo, two cores: tests follow each other.
  workers: 1,
  // Limits end what hangs; nothing here measures time.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  forbidOnly: process.env["CI"] !== undefined,
  reporter: [["list"], ["junit", { outputFile: `${ARTIFACTS}/junit.xml` }]],
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 900 },
    // A trace of every step would double the time; what a failed page looked like is kept instead.
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  projects: [
    // The demo prints one sign-in link, which works once: the first project uses it, the others stay signed in.
    { name: "sign-in", testMatch: "sign-in.spec.ts" },
    {
      name: "dashboard",
      testIgnore: "sign-in.spec.ts",
      dependencies: ["sign-in"],
      use: { storageState: STATE },
    },
  ],
});
