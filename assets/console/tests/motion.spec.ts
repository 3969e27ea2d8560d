// For users who prefer reduced motion, everything opens without animation.

import type { Page } from "@playwright/test";
import { en } from "../src/texts/en";
import { expect, goTo, open, settled, test } from "./fixtures";
import type { Server } from "./server";

/** Opens a page, a menu, a drawer, a dialog, a tab and charts, and returns the elements that moved. */
async function movements(page: Page, server: Server): Promise<string[]> {
  await page.addInitScript(() => {
    const moved = new Set<string>();
    Object.assign(window, { moved });
    for (const kind of ["transitionrun", "animationstart"]) {
      document.addEventListener(
        kind,
        (event) => {
          const { propertyName, animationName } = event as TransitionEvent & AnimationEvent;
          const { tagName, className } = event.target as Element;
          moved.add(`${propertyName ?? animationName}: ${tagName.toLowerCase()}.${className}`);
        },
        true,
      );
    }
  });
  const { common, fields } = en;
  await open(page, server, "/admin/logs?project=quillmere");
  await settled(page);
  await page.getByRole("button", { name: common.columns }).click();
  await page.getByRole("menuitemcheckbox").first().click();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
  await page.locator(".cell-link").first().click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  await dialog.getByRole("treeitem", { expanded: true }).first().click();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await goTo(page, "/admin/versions?project=quillmere&new=1");
  await dialog.getByRole("switch").first().focus();
  await page.keyboard.press("Space");
  await dialog.getByText(fields.markdown.preview, { exact: true }).first().click();
  await settled(page);
  await goTo(page, "/admin/analytics?project=quillmere");
  await settled(page);
  await page.getByText(en.statistics.splits.platform, { exact: true }).click();
  await settled(page);
  const running = await page.evaluate(() => document.getAnimations().length);
  return page.evaluate(
    (running) => [...(window as unknown as { moved: Set<string> }).moved, ...(running ? [`${running} still run`] : [])],
    running,
  );
}

test("with less motion nothing moves", async ({ page, demo }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  expect(await movements(page, demo)).toEqual([]);
});

test("without that wish the same shows what changes by moving", async ({ page, demo }) => {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  expect(await movements(page, demo)).not.toEqual([]);
});
