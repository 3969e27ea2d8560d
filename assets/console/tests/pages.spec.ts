// What every page of the console holds: it opens with the data of the demo and without any,
// axe finds nothing in either theme, nothing is cut off on a phone or at a zoom of 200 %, and
// nothing moves after it was shown.

import type { Page } from "@playwright/test";
import { expect, expectAccessible, open, test } from "./fixtures";
import type { Server } from "./server";

const pages = [
  "/admin",
  "/admin/analytics",
  "/admin/projects",
  "/admin/projects/codehost",
  "/admin/versions",
  "/admin/files",
  "/admin/announcements",
  "/admin/events",
  "/admin/events/definitions",
  "/admin/events/funnel",
  "/admin/events/retention",
  "/admin/events/paths",
  "/admin/events/explore",
  "/admin/events/dashboard",
  "/admin/feedbacks",
  "/admin/logs",
  "/admin/tokens",
  "/admin/settings",
  "/admin/settings/codehost-app",
  "/admin/settings/translation",
  "/admin/settings/storage",
  "/admin/settings/terms",
  "/admin/about",
];

/** Opens each page, waits until it has loaded what it shows, and has it checked. */
async function walk(page: Page, server: Server, look: Parameters<typeof open>[3], check: (path: string) => Promise<void>) {
  for (const path of pages) {
    await test.step(path, async () => {
      await open(page, server, path, look);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await page.waitForLoadState("networkidle");
      await check(path);
    });
  }
}

/** Fails when the page is wider than the window, so that something is cut off. */
async function expectToFit(page: Page) {
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect.soft(wide, page.url()).toBeLessThanOrEqual(window!);
}

test.describe.configure({ timeout: 240_000 });

test("every page, light, in English: axe finds nothing, and nothing moves", async ({ page, demo }) => {
  await page.addInitScript(() => {
    const shifts: object[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean; sources: { node?: Element }[] }[]) {
        if (!entry.hadRecentInput) {
          shifts.push({ value: entry.value, what: entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 200)) });
        }
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await walk(page, demo, {}, async () => {
    await expectAccessible(page);
    const shifts = await page.evaluate(() => (window as unknown as { shifts: { value: number }[] }).shifts);
    const sum = shifts.reduce((total, { value }) => total + value, 0);
    expect.soft(sum, `${page.url()} ${JSON.stringify(shifts, null, 1)}`).toBeLessThanOrEqual(0.02);
  });
});

test("every page, dark, in Chinese, on a phone: axe finds nothing, and nothing is cut off", async ({ page, demo }) => {
  await walk(page, demo, { language: "zh", theme: "dark", phone: true }, async () => {
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/\p{Script=Han}/u);
    await expectToFit(page);
    await expectAccessible(page);
  });
});

test("every page at a zoom of 200 %: nothing is cut off", async ({ page, demo }) => {
  // A zoom of 200 % halves the window in pixels of style sheets.
  await page.setViewportSize({ width: 720, height: 450 });
  await walk(page, demo, { theme: "dark" }, () => expectToFit(page));
});

test("every page of a project without data says how it begins", async ({ page, server, project }) => {
  for (const path of ["versions", "files", "announcements", "events", "feedbacks", "logs"]) {
    await test.step(path, async () => {
      await open(page, server, `/admin/${path}?project=${project}`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      // The first command names this server and this project.
      await expect.soft(page.getByText(new URL(server.url).host).first(), path).toBeVisible();
      await expectAccessible(page);
    });
  }
});
