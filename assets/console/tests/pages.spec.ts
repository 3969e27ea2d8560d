// Rules for every page of the console: it opens with the data of the demo and without any, axe finds nothing in
// either theme, nothing is cut off on a phone or at a zoom of 200 %, nothing moves after it was shown, and it
// describes the operations that it uses.

import { en } from "../src/texts/en";
import { zh } from "../src/texts/zh";
import { expect, expectAccessible, expectStill, goTo, open, settled, test, watchMoves } from "./fixtures";
import { expectToFit, pages, walk } from "./walk";

test.describe.configure({ timeout: 600_000 });

test("every page, opened by its address: nothing moves, and axe finds nothing", { tag: "@story" }, async ({ page, demo }) => {
  const moves = await watchMoves(page);
  for (const [path, heading] of pages) {
    await test.step(path, async () => {
      await open(page, demo, path);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading(en));
      await expectAccessible(page, async () => {
        expectStill(moves.splice(0));
      });
    });
  }
});

test("every page in Chinese, on a phone: axe finds nothing, and nothing is cut off", async ({ page, demo }) => {
  await open(page, demo, "/admin/nowhere", { language: "zh", theme: "dark", phone: true });
  await walk(page, zh, async () => {
    await expectToFit(page);
    await expectAccessible(page);
  });
});

test.describe("320 px wide", () => {
  test.use({ viewport: { width: 320, height: 640 }, hasTouch: true });

  for (const texts of [en, zh]) {
    const language = texts === en ? "en" : "zh";
    test(`nothing on any page is cut off, ${language}`, async ({ page, demo }) => {
      await open(page, demo, "/admin/nowhere", { language });
      await walk(page, texts, () => expectToFit(page));
      for (const type of ["breakdown", "value"]) {
        const query = encodeURIComponent(JSON.stringify({ type }));
        await goTo(page, `/admin/events/explore?query=${query}`);
        await expect(page.getByText(texts.events.explore.types[type as "value"]).first()).toBeVisible();
        await settled(page);
        await expectToFit(page);
      }
    });

    test(`headings and second lines of lists are not cut off, ${language}`, async ({ page, server, project }) => {
      const record = { content: "A text that takes more than a line of a small phone." };
      await server.call("POST", `/admin/projects/${project}/feedbacks`, { ...record, rating: 4, status: "in_progress" });
      await server.call("POST", `/admin/projects/${project}/logs`, { ...record, level: 2 });
      for (const list of ["feedbacks", "logs"]) {
        await open(page, server, `/admin/${list}?project=${project}`, { language });
        const parts = page.locator("thead :is(.mantine-Group-root, button) > span, td[data-main] > div > span");
        await expect(parts).not.toHaveCount(0);
        const cut = await parts.evaluateAll((parts) =>
          parts.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
        );
        expect(cut).toEqual([]);
      }
    });
  }
});

test.describe("at a zoom of 200 %", () => {
  // This halves the window of 1440 by 900 in CSS pixels.
  test.use({ viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 });

  test("nothing on any page is cut off; it describes the operations that it uses", async ({ page, demo }) => {
    await open(page, demo, "/admin/nowhere", { theme: "dark" });
    const help = page.getByRole("dialog", { name: en.common.apiHelp });
    await walk(page, en, async () => {
      await expectToFit(page);
      await page.getByRole("button", { name: en.common.apiHelp }).click();
      await expect(help.getByRole("link").first()).toBeVisible();
      for (const operation of await help.locator("code").all()) {
        // An operation that is missing in the API reference has no address.
        await expect.soft(operation, page.url()).toHaveText(/^(GET|POST|PUT|PATCH|DELETE) \//);
      }
      await page.keyboard.press("Escape");
      await expect(help).toBeHidden();
    });
  });
});

for (const language of ["en", "zh"] as const) {
  test(`no page reports an error when its parts and answers come late and out of order, ${language}`, async ({ page, demo }) => {
    const texts = { en, zh }[language];
    let turn = 0;
    await page.route(/\/(api|console)\//, async (route) => {
      const wait = (turn++ % 7) * 50;
      await new Promise((resolve) => setTimeout(resolve, wait));
      // The page may have been left.
      await route.continue().catch(() => undefined);
    });
    const shows = (heading: string) => expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
    await open(page, demo, "/login", { language });
    await expect(page).toHaveURL(/\/admin(\?project=.*)?$/);
    for (const [at, [path, heading]] of pages.entries()) {
      await test.step(path, async () => {
        // The fixture fails on an error in the browser's console.
        await page.goto(demo.url + path);
        const [next, nextHeading] = pages[(at + 1) % pages.length]!;
        await expect(page.getByRole("main")).toBeVisible();
        await goTo(page, next);
        await shows(nextHeading(texts));
        await page.goBack();
        await shows(heading(texts));
        await settled(page);
      });
    }
  });
}

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

/** The pages that show the records of a project. A page of a single record needs that record. */
const ofRecords = pages.filter(
  ([path]) => !path.includes("?") && /^\/admin$|\/(analytics|versions|files|announcements|events|feedbacks|logs)\b/.test(path),
);

for (const [width, height] of [
  [1440, 900],
  [1024, 768],
  [390, 844],
] as const) {
  test.describe(`${width} px wide, when answers come late`, () => {
    test.use({ viewport: { width, height } });

    test("nothing moves on the pages of a project that never had a request", async ({ page, server, project, demo }) => {
      // The page of logs shows a list, while the pages of other records still explain how to begin.
      await server.call("POST", `/admin/projects/${project}/logs`, { level: 3, content: "the first" });
      await page.route("**/api/**", async (route) => {
        // Lists come last, when what is above them is there.
        const list = /\/(announcements|definitions|feedbacks|files|logs|versions)$/.test(new URL(route.request().url()).pathname);
        await new Promise((resolve) => setTimeout(resolve, list ? 900 : 300));
        // The page may have been left.
        await route.continue().catch(() => undefined);
      });
      const moves = await watchMoves(page);
      for (const [path] of ofRecords) {
        await test.step(path, async () => {
          await open(page, server, `${path}?project=${project}`);
          await settled(page);
          expectStill(moves.splice(0));
        });
      }
      await test.step("Statistics of a project with requests", async () => {
        await page.goto("about:blank");
        await open(page, demo, "/admin/analytics?project=quillmere");
        await settled(page);
        expectStill(moves);
      });
    });
  });
}
