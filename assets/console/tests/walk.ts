// All pages of the console, and a walk through them.

import type { Page } from "@playwright/test";
import type { Texts } from "../src/texts/en";
import { expect, goTo, settled, test } from "./fixtures";

/** Each page with its heading. */
export const pages: [path: string, heading: (texts: Texts) => string][] = [
  ["/admin", ({ frame }) => frame.pages.overview],
  ["/admin/instance", ({ frame }) => frame.pages.instance],
  ["/admin/analytics", ({ frame }) => frame.pages.statistics],
  ["/admin/projects", ({ frame }) => frame.pages.projects],
  ["/admin/projects/codehost", ({ codehost }) => codehost.title],
  ["/admin/projects/hooks", ({ hooks }) => hooks.title],
  ["/admin/versions", ({ frame }) => frame.pages.versions],
  ["/admin/versions/feeds", ({ feeds }) => feeds.title],
  ["/admin/versions/distribution", ({ distribution }) => distribution.title],
  ["/admin/files", ({ frame }) => frame.pages.files],
  ["/admin/announcements", ({ frame }) => frame.pages.announcements],
  ...["", "/definitions", "/funnel", "/retention", "/paths", "/explore", "/dashboard"].map((below): (typeof pages)[number] => [
    `/admin/events${below}`,
    ({ frame }) => frame.pages.events,
  ]),
  ["/admin/feedbacks", ({ frame }) => frame.pages.feedbacks],
  ["/admin/logs", ({ frame }) => frame.pages.logs],
  ["/admin/logs/groups", ({ frame }) => frame.pages.logs],
  // The ID of a group is a hash of what its logs say: here, that the server gave no answer.
  ["/admin/logs/group?open=12da59759082a3e8", ({ logs }) => logs.groups.page],
  ["/admin/tokens", ({ frame }) => frame.pages.tokens],
  ...["", "/codehost-app", "/translation", "/storage", "/hooks", "/terms"].map((below): (typeof pages)[number] => [
    `/admin/settings${below}`,
    ({ frame }) => frame.pages.settings,
  ]),
  ["/admin/about", ({ frame }) => frame.pages.about],
];

/** Visits each page of an open console, waits until it has loaded, and runs the check. */
export async function walk(page: Page, texts: Texts, check: () => Promise<void>): Promise<void> {
  const main = page.getByRole("main");
  let before: string | null = "";
  for (const [path, heading] of pages) {
    await test.step(path, async () => {
      await goTo(page, path);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading(texts));
      // Some pages have the same heading as their parent.
      await expect.poll(() => main.textContent()).not.toBe(before);
      await settled(page);
      before = await main.textContent();
      await check();
    });
  }
}

/** Fails if the page is wider than the window, if a button is too small for its text, or if segments or tabs take several lines. */
export async function expectToFit(page: Page): Promise<void> {
  const [wide, window, cut, wrapped] = await page.evaluate((): [number, number, (string | null)[], (string | null)[]] => [
    document.documentElement.scrollWidth,
    innerWidth,
    [...document.querySelectorAll(".mantine-Button-label, .mantine-Tabs-tabLabel, .mantine-SegmentedControl-innerLabel")]
      .filter((words) => words.checkVisibility() && words.scrollWidth > words.clientWidth && getComputedStyle(words).display !== "inline")
      .map((words) => words.textContent),
    [...document.querySelectorAll(".mantine-SegmentedControl-root, .mantine-Tabs-list")]
      .filter((row) => new Set([...row.querySelectorAll("label, [role=tab]")].map((part) => part.getBoundingClientRect().top)).size > 1)
      .map((row) => row.textContent),
  ]);
  expect.soft(wide, page.url()).toBeLessThanOrEqual(window);
  expect.soft(cut, page.url()).toEqual([]);
  expect.soft(wrapped, page.url()).toEqual([]);
}
