// Takes a screenshot of every scene in every look. The regular expressions SCENES and LOOKS select
// some of them: SCENES=^logs LOOKS=dark-390. DATA=none shows a project without records instead of
// the demo, and DATA=few one with a record of each kind.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "../tests/fixtures";
import { username } from "../tests/server";
import { fill } from "./data";
import { scenes } from "./scenes";

const folder = fileURLToPath(new URL("../shots", import.meta.url));
const chosen = (name: string, pattern: string | undefined) => new RegExp(pattern ?? "").test(name);

const data = process.env["DATA"];
const heights: Record<number, number> = { 1440: 900, 1024: 768, 390: 844, 320: 568 };

for (const language of ["en", "zh"] as const) {
  for (const theme of ["light", "dark"] as const) {
    for (const width of language === "en" && theme === "light" ? [1440, 1024, 390, 320] : [1440, 390]) {
      const phone = width < 768;
      const look = `${language}-${theme}-${width}`;
      if (!chosen(look, process.env["LOOKS"])) {
        continue;
      }
      test.describe(look, () => {
        test.use({
          locale: { en: "en-GB", zh: "zh-CN" }[language],
          colorScheme: theme,
          viewport: { width, height: heights[width]! },
          hasTouch: phone,
          expected: [/404/], // some screenshots show missing pages
        });
        test(look, async ({ context, page, demo, server, own }) => {
          const failed: string[] = [];
          await context.addInitScript(
            ([language, theme]) => {
              if (location.protocol === "about:") {
                return; // a blank page has no storage
              }
              localStorage.setItem("svc.console.language", language);
              localStorage.setItem("svc.console.theme", theme);
            },
            [language, theme] as const,
          );
          if (data) {
            await fill(own, data);
          }
          for (const scene of await scenes(data ? own : demo)) {
            if (
              !chosen(scene.name, process.env["SCENES"]) ||
              (scene.only && (scene.only === "phone") !== phone) ||
              (data && (scene.empty || scene.demo))
            ) {
              continue;
            }
            const on = data ? own : scene.empty ? server : demo;
            try {
              // The login is stored per origin, so open a page of that origin that needs no login.
              // No page of the other server may be open.
              await page.goto("about:blank");
              await page.goto(`${on.url}/robots.txt`);
              await page.evaluate(
                (login) => (login ? localStorage.setItem("svc.console.login", login) : localStorage.removeItem("svc.console.login")),
                scene.visitor ? "" : JSON.stringify({ token: await on.login(), username }),
              );
              await page.goto(on.url + scene.path);
              await page.waitForLoadState("networkidle");
              await scene.prepare?.(page);
              // Parts of long pages ask for their data when they are scrolled into view.
              await page.evaluate(async () => {
                for (let later = document.querySelector("[data-later]"); later; later = document.querySelector("[data-later]")) {
                  later.scrollIntoView();
                  await new Promise(requestAnimationFrame);
                }
                scrollTo(0, 0);
              });
              await page.waitForLoadState("networkidle");
              await page.evaluate(() =>
                Promise.all(
                  document
                    .getAnimations()
                    // That of a wheel that waits never ends.
                    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
                    .map((animation) => animation.finished.catch(() => undefined)),
                ),
              );
              await page.waitForFunction(() => !document.querySelector('[role="img"][style]:not([data-drawn])'));
              if (!scene.above) {
                // A full-page screenshot would be one of a device without touch.
                const height = await page.evaluate(() => document.documentElement.scrollHeight);
                await page.setViewportSize({ width, height });
              }
              await page.screenshot({ path: join(folder, scene.name, `${look}${data ? `-${data}` : ""}.png`) });
              await page.setViewportSize({ width, height: heights[width]! });
            } catch (error) {
              failed.push(`${scene.name}: ${String(error).split("\n", 1)[0]}`);
            }
          }
          expect(failed).toEqual([]);
        });
      });
    }
  }
}
