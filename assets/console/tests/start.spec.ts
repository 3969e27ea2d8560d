// From an empty server to the first version, with the code that the console shows; and the
// amount of data that a browser loads for it.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Locator } from "@playwright/test";
import { expect, inEachWay, open, test } from "./fixtures";
import { keyboard, phone, pointer } from "./hand";
import { startInTerminal } from "./terminal";

inEachWay([pointer, keyboard, phone], () => {
  test("task 1: log in with the printed password, make a project, publish with the pasted command, and watch the version appear", {
    tag: "@story",
  }, async ({ page, context, hand }) => {
    test.slow();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.clock.install();
    const { common, frame, overview, projects, start, tokens, versions } = hand.t;
    const copy = async (place: Locator) => {
      await hand.press(place.getByRole("button", { name: common.copy, exact: true }));
      await expect(place.getByRole("button", { name: common.copied, exact: true })).toBeVisible();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const terminal = await startInTerminal();
    try {
      await page.goto(terminal.console);
      await hand.fill(page.getByRole("textbox", { name: frame.username }), terminal.username);
      await hand.fill(page.getByRole("textbox", { name: frame.password }), terminal.password);
      await hand.press(page.getByRole("button", { name: frame.logIn, exact: true }));

      await hand.press(page.getByRole("link", { name: overview.makeProject }));
      const dialog = page.getByRole("dialog");
      await hand.fill(dialog.getByRole("textbox", { name: projects.columns.name, exact: true }), "First App");
      await expect(dialog.getByRole("textbox", { name: projects.columns.key, exact: true })).toHaveValue("first-app");
      await hand.press(dialog.getByRole("button", { name: common.save }));

      const [ci, app] = [start.ci, start.app].map((name) => dialog.locator("section").filter({ has: page.getByRole("heading", { name }) }));
      await expect(app!.getByRole("tabpanel")).toContainText("/api/v1/public/first-app/versions/check-update");
      const command = await copy(ci!);
      await hand.press(ci!.getByRole("link", { name: start.makeKey }));
      await hand.fill(dialog.getByRole("textbox", { name: tokens.name }), "CI");
      await hand.press(dialog.getByRole("button", { name: common.save }));
      const key = await copy(dialog);
      await hand.press(dialog.getByRole("button", { name: tokens.shown.done }));

      await hand.find(frame.pages.versions, new RegExp(`^${frame.pages.versions}$`));
      await expect(page.getByRole("heading", { name: versions.empty.title })).toBeVisible();
      await promisify(execFile)("bash", ["-euc", command], { env: { ...process.env, SVC_KEY: key } });
      // The list refreshes after 15 seconds; skip the wait.
      await page.clock.fastForward(15_000);
      await expect(page.getByRole("link", { name: "1.0.0", exact: true })).toBeVisible();
    } finally {
      await page.goto("about:blank");
      await terminal.close();
    }
  });
});

test("what to paste has this server, the project and a place for the key, in each language", async ({ page, server, project }) => {
  await open(page, server, `/admin/projects?start=${project}`);
  const ci = page.getByRole("dialog").locator("section").first();
  for (const language of ["curl", "TypeScript", "Go", "Python", "Rust"]) {
    await ci.getByRole("tab", { name: language }).click();
    for (const part of [`${server.url}/api/v1`, project, "SVC_KEY"]) {
      await expect(ci.getByRole("tabpanel", { name: language })).toContainText(part);
    }
  }
});

test("script and style until the first list is usable have 250 KB at most, compressed", async ({ page, demo }) => {
  await page.addInitScript(() => {
    const usable = new Promise<number>((resolve) => {
      const observer = new MutationObserver(() => {
        if (document.querySelector(".cell-link")) {
          observer.disconnect();
          resolve(performance.now());
        }
      });
      observer.observe(document, { childList: true, subtree: true });
    });
    Object.assign(window, { usable });
  });
  await open(page, demo, "/admin/logs");
  const sent = await page.evaluate(async () => {
    const until = await (window as unknown as { usable: Promise<number> }).usable;
    return (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
      .filter(({ name, startTime }) => startTime <= until && /\.(js|css)$/.test(new URL(name).pathname))
      .map(({ name, encodedBodySize, decodedBodySize }) => ({
        name,
        bytes: encodedBodySize,
        compressed: encodedBodySize < decodedBodySize,
      }));
  });
  expect(sent.some(({ name }) => name.endsWith(".js")) && sent.some(({ name }) => name.endsWith(".css"))).toBe(true);
  // Very small files are not compressed.
  expect(sent.filter(({ bytes, compressed }) => bytes > 1000 && !compressed)).toEqual([]);
  expect(
    sent.reduce((sum, { bytes }) => sum + bytes, 0),
    JSON.stringify(sent, null, 1),
  ).toBeLessThanOrEqual(250_000);
});
