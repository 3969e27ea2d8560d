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
    const { common, frame, start } = hand.t;
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

      await hand.fill(page.getByRole("textbox", { name: frame.firstProject.name }), "First App");
      await expect(page.getByText(frame.firstProject.key("first-app"))).toBeVisible();
      await hand.press(page.getByRole("button", { name: frame.firstProject.create }));

      await expect(page.getByText(start.waiting.version)).toBeVisible();
      const [ci, app] = [start.ci, start.app].map((name) => page.locator("section").filter({ has: page.getByRole("heading", { name }) }));
      await expect(app!.getByRole("tabpanel")).toContainText("/api/v1/public/first-app/versions/check-update");
      await hand.press(ci!.getByRole("button", { name: start.makeKey }));
      await expect(ci!.getByText(start.keyMade(90))).toBeVisible();
      const run = async (command: string) => promisify(execFile)("bash", ["-euc", command]);
      await run(await copy(ci!));
      await expect(page.getByText(start.arrived.version)).toBeVisible();
      await expect(page.getByText(start.waiting.check)).toBeVisible();
      await run(await copy(app!));
      await expect(page.getByText(start.arrived.check)).toBeVisible();
      await expect(page.getByText(start.waiting.event)).toBeVisible();

      await hand.find(frame.pages.versions, new RegExp(`^${frame.pages.versions}$`));
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

test("a key made in place is for one project and one scope, and only its button makes it", async ({ page, server, project }) => {
  const keys = async () => (await server.call<{ data: { scopes: string[]; project_ids: string[] }[] }>("GET", "/auth/api-keys")).data;
  const before = (await keys()).length;
  await open(page, server, `/admin/versions?project=${project}`);
  await expect(page.getByText("Waiting for the first version…")).toBeVisible();
  for (const key of ["k", "c", "a", "e"]) {
    await page.keyboard.press(key);
  }
  expect(await keys()).toHaveLength(before);
  await page.getByRole("button", { name: "Create the API key" }).click();
  await expect(page.getByRole("button", { name: "Copy the key" })).toBeVisible();
  await expect(page.getByRole("tabpanel", { name: "curl" })).not.toContainText("$SVC_KEY");
  const made = (await keys()).find(({ project_ids }) => project_ids.includes(project));
  expect(made).toMatchObject({ scopes: ["versions:write"], project_ids: [project] });
  await server.call("PUT", `/admin/projects/${project}/versions/by-version/1.0.0`, { title: "First", content: "Works." });
  await expect(page.getByRole("link", { name: "1.0.0", exact: true })).toBeVisible();
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
