// On a touch screen every target has an area of at least 44 by 44 px that no other target overlaps.

import type { Page } from "@playwright/test";
import { zh } from "../src/texts/zh";
import { expect, goTo, open, settled, test } from "./fixtures";
import { expectToFit, walk } from "./walk";

test.use({ viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true });
test.describe.configure({ timeout: 600_000 });

/**
 * Fails for each pressable element with a smaller area, which is found by asking the browser for
 * the element at the points around it. The area of a checkbox includes its label. Links within a
 * sentence are only as high as its lines, an exception of WCAG 2.5.8.
 */
async function expectRoomForFingers(page: Page, part = page.locator(":root")): Promise<void> {
  await settled(page);
  const small = await part.evaluate((part) => {
    const least = 44;
    const pressable =
      "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=link], [role=tab], [role=switch], " +
      "[role=checkbox], [role=radio], [role=option], [role=menuitem], [role=menuitemcheckbox], [role=menuitemradio], [role=treeitem][aria-expanded]";
    // Links in user-written texts are within sentences.
    const written = ".mantine-Typography-root";
    const opened = [...document.querySelectorAll("[role=dialog], [role=menu], [role=listbox]")].filter((each) => each.checkVisibility());
    const area = opened.at(-1) ?? part;
    const inSentence = (element: Element) => {
      const block = element.closest("p, li, dd, td, div");
      return (
        element.matches("a") &&
        getComputedStyle(element).display === "inline" &&
        (block?.textContent ?? "").trim().length > (element.textContent ?? "").trim().length
      );
    };
    // Content beside the window, such as the closed side bar, does not count.
    const onScreen = (element: Element) => {
      element.scrollIntoView({ block: "center", inline: "nearest" });
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
    };
    const visiblePart = (element: Element) => {
      const box = element.getBoundingClientRect();
      let [left, right, top, bottom] = [Math.max(box.left, 0), Math.min(box.right, innerWidth), box.top, box.bottom];
      for (let outer = element.parentElement; outer; outer = outer.parentElement) {
        if (getComputedStyle(outer).overflow !== "visible") {
          const clip = outer.getBoundingClientRect();
          [left, right] = [Math.max(left, clip.left), Math.min(right, clip.right)];
          [top, bottom] = [Math.max(top, clip.top), Math.min(bottom, clip.bottom)];
        }
      }
      return [left, right, top, bottom] as const;
    };
    const measure = (element: Element): [wide: number, high: number] => {
      const parts = [element, ...((element as HTMLInputElement).labels ?? [])];
      const hit = (x: number, y: number) => {
        const found = document.elementFromPoint(x, y);
        return found !== null && parts.some((part) => part.contains(found));
      };
      let best: [number, number] = [0, 0];
      for (const part of parts) {
        part.scrollIntoView({ block: "center", inline: "nearest" });
        const [left, right, top, bottom] = visiblePart(part);
        const [x, y] = [Math.floor((left + right) / 2) + 0.5, Math.floor((top + bottom) / 2) + 0.5];
        if (!hit(x, y)) {
          continue;
        }
        const reach = (dx: number, dy: number) => {
          let step = 1;
          while (step < least && hit(x + dx * step, y + dy * step)) {
            step++;
          }
          return step - 1;
        };
        const [wide, high] = [reach(-1, 0) + 1 + reach(1, 0), reach(0, -1) + 1 + reach(0, 1)];
        if (Math.min(wide, high) > Math.min(...best)) {
          best = [wide, high];
        }
      }
      return best;
    };
    return [...area.querySelectorAll(pressable)]
      .filter(
        (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(`[aria-hidden=true], [inert], ${written}`),
      )
      .filter(onScreen)
      .filter((element) => !element.matches(":disabled, [aria-disabled=true], [data-disabled]") && !inSentence(element))
      .map((element) => ({ element, size: measure(element) }))
      .filter(({ size }) => Math.min(...size) < least)
      .map(({ element, size: [wide, high] }) => `${wide}x${high}: ${element.outerHTML}`);
  });
  expect.soft(small, page.url()).toEqual([]);
}

test("every page has room for fingers, and nothing is cut off for it", async ({ page, demo }) => {
  await open(page, demo, "/admin/nowhere", { language: "zh", phone: true });
  expect(await page.evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(true);
  await walk(page, zh, async () => {
    await expectToFit(page);
    await expectRoomForFingers(page);
  });
});

test("side bar, lists, menus, drawers and dialogs have room for fingers", async ({ page, demo }) => {
  const { common, frame } = zh;
  const opened = page.locator("[role=dialog]:visible, [role=menu]:visible, [role=listbox]:visible");
  const look = async (open: () => Promise<void>) => {
    const before = await opened.count();
    await open();
    await expect.poll(() => opened.count(), { intervals: [20] }).toBeGreaterThan(before);
    await expectToFit(page);
    await expectRoomForFingers(page);
  };
  const away = async () => {
    await page.keyboard.press("Escape");
    await expect(opened).toHaveCount(0);
  };
  const project = "quillmere";
  await open(page, demo, `/admin/versions?project=${project}`, { language: "zh", phone: true });

  await page.getByRole("button", { name: frame.menu, exact: true }).tap();
  const bar = page.getByRole("navigation", { name: frame.navigation });
  await expectRoomForFingers(page, bar);
  for (const button of [
    bar.getByRole("button", { name: new RegExp(`^${frame.theme.label}`) }),
    bar.getByRole("combobox", { name: frame.project }),
  ]) {
    await look(() => button.tap());
    await away();
  }
  await page.getByRole("button", { name: frame.closeMenu, exact: true }).tap();
  await look(() => page.getByRole("button", { name: frame.palette.open, exact: true }).tap());
  await away();

  await look(() =>
    page
      .getByRole("button", { name: new RegExp(`^${common.more}`) })
      .first()
      .tap(),
  );
  await away();
  await look(() => page.locator(".cell-link").first().tap());
  await away();
  for (const path of [
    "versions?new=1",
    "files?upload=1",
    "announcements?new=1",
    "feedbacks?new=1",
    "logs?new=1",
    "projects?new=1",
    "tokens?new=1",
  ]) {
    await test.step(path, async () => {
      await look(() => goTo(page, `/admin/${path}&project=${project}`));
      await away();
    });
  }

  await goTo(page, `/admin/logs?project=${project}`);
  await page.getByRole("button", { name: common.filters, exact: true }).tap();
  await look(() => page.getByRole("button", { name: new RegExp(`${common.from}$`) }).tap());
});
