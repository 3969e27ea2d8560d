// Pictures of every page, see screenshots/scenes.ts. "make screenshots" takes them.

import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

export default defineConfig(tests, {
  testDir: "screenshots",
  testMatch: "*.shots.ts",
  globalTeardown: "./screenshots/sheet.ts",
  timeout: 20 * 60_000,
});
