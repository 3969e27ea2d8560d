// Takes a screenshot of every scene in every look. The regular expressions SCENES and LOOKS select
// some of them: SCENES=^logs LOOKS=dark-375.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "../tests/fixtures";
import { username } from "../tests/server";
import { scenes } from "./scenes";

const folder = fileURLToPath(new URL("../shots", import.meta.url));
const chosen = (name: string, pattern: string | undefined) => new RegExp(pattern ?? "").test(name);

for (const language of ["en", "zh"] as const) {
  for (const theme of ["light", "dark"] as const) {
    for (const width of [1440, 375]) {
      const look = `${language}-${theme}-${width}`;
      if (!chosen(look, process.env["LOOKS"])) {
        continue;
      }
      test.describe(look, () => {
        test.use({
          locale: { en: "en-GB", zh: "zh-CN" }[language],
          colorScheme: theme,
          viewport: { width, height: width === 375 ? 812 : 900 },
          hasTouch: width === 375,
          expected: [/404/], // some screenshots show missing pages
        });
        test(look, async ({ context, page, demo, server }) => {
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
          for (const scene of await scenes(demo)) {
            const phone = width === 375;
            if (!chosen(scene.name, process.env["SCENES"]) || (scene.only && (scene.only === "phone") !== phone)) {
              continue;
            }
            const on = scene.empty ? server : demo;
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
              await page.screenshot({ path: join(folder, scene.name, `${look}.png`), fullPage: !scene.above });
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
