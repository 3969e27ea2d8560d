import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "tests",
  globalSetup: "./tests/setup.ts",
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: Boolean(process.env["CI"] || process.env["SVC_REQUIRE_TOOLS"]),
  reporter: [["line"]],
  // For a machine that is busy with other tests at the same time.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  outputDir: "test-results",
  use: {
    actionTimeout: 45_000,
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    trace: process.env["SVC_TRACE"] ? "retain-on-failure" : "off",
    launchOptions: { executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] },
  },
});
