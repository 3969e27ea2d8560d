// The public pages and the API reference: readable without scripts, on a phone, with the keyboard,
// in both themes and languages. The server's own tests check their content.

import { expect, expectAccessible, test } from "./fixtures";
import type { Server } from "./server";

/** A project with everything that its page can show. */
async function publish(server: Server, project: string): Promise<void> {
  const path = `/admin/projects/${project}`;
  await server.call("PATCH", path, {
    name: "Lumen Notes",
    description: `A **quiet** notebook. ${"It keeps what you write in plain files. ".repeat(12)}`,
    author: "Northlight",
    website_url: "https://lumen.example",
  });
  for (let i = 0; i < 14; i++) {
    await server.call("POST", `${path}/versions`, {
      version: `1.${i}.0`,
      comparable_version: `1.${i}.0`,
      title: `Faster search, part ${i}`,
      content:
        "### Fixed\n\n- A long name\n\n| System | Minimum |\n|---|---|\n| Windows | 10 |\n\n```sh\nlumen export --pdf notes/ > a-file-with-a-long-name.pdf\n```",
      published_at: 1_700_000_000 + i * 86_400,
      is_latest: i === 13,
      platforms: ["windows", "macos"],
      download_links: [{ url: `https://dl.example/lumen-1.${i}.0-x64.msi`, platform: "windows" }, { url: "https://dl.example/lumen.dmg" }],
    });
  }
  await server.call("PUT", "/admin/terms/documents/privacy-policy", {
    custom: true,
    content: "## Who we are\n\n| We | They |\n|---|---|\n| Ada | Bob |",
  });
  await server.call("POST", `${path}/announcements`, {
    title: "Version 1 ends",
    content: `Please read this. ${"There is more to say about it than fits. ".repeat(10)}The end.`,
    is_pinned: true,
  });
}

const pages: Record<string, (project: string) => string> = {
  "the start page": () => "/",
  "a project": (project) => `/projects/${project}`,
  "one version": (project) => `/projects/${project}?version=1.3.0`,
  "the changes since a version": (project) => `/projects/${project}?since=1.3.0`,
  "the terms": () => "/terms/privacy-policy",
  "terms that are not published": () => "/terms/sdk-compliance",
  "a missing page": () => "/projects/none",
  "the reference": () => "/doc",
  "a search in the reference": () => "/doc?q=webhook+secret",
  "an operation": () => "/doc/createVersion",
};

test.describe("for everybody", () => {
  test.use({ expected: [/404/] });

  test("every page is accessible and fits, on a phone and on a desktop", async ({ page, server, project }) => {
    test.slow();
    await publish(server, project);
    for (const [name, path] of Object.entries(pages)) {
      await test.step(name, async () => {
        await page.setViewportSize({ width: 375, height: 812 });
        await page.goto(server.url + path(project));
        for (const details of await page.locator("main details:not(.menu)").all()) {
          await details.evaluate((element: HTMLDetailsElement) => {
            element.open = true;
          });
        }
        for (const width of [375, 1440]) {
          await page.setViewportSize({ width, height: 812 });
          expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
          await expectAccessible(page);
        }
      });
    }
  });
});

test("the dates of the versions stand below each other, at any width", async ({ page, server, project }) => {
  const every = ["windows", "macos", "linux", "android", "ios", "web"];
  for (const [index, platforms] of [[], ["windows"], every, []].entries()) {
    await server.call("POST", `/admin/projects/${project}/versions`, {
      version: `${index}.0.0-a-long-name-of-a-version`,
      comparable_version: `${index}.0`,
      is_preview: index === 2,
      published_at: 1_700_000_000 + index * 20 * 86_400,
      platforms,
    });
  }
  await page.goto(`${server.url}/projects/${project}`);
  for (const width of [320, 480, 600, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const edges = await page
      .locator(".line time")
      .evaluateAll(
        (dates, side) => dates.map((date) => Math.round(date.getBoundingClientRect()[side])),
        width <= 480 ? ("left" as const) : ("right" as const),
      );
    expect(edges).toHaveLength(4);
    expect(new Set(edges).size, `${width}: ${edges}`).toBe(1);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  }
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("a project is read, its announcement opened, its older versions found", async ({ page, server, project }) => {
    await publish(server, project);
    await page.goto(`${server.url}/projects/${project}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Lumen Notes");
    await expect(page.getByRole("heading", { name: "Latest version" })).toBeVisible();
    await expect(page.getByRole("link", { name: "lumen-1.13.0-x64.msi" }).first()).toBeVisible();
    await page.getByText("Show more").click();
    await page.getByText("Faster search, part 12").click();
    await expect(page.getByRole("link", { name: "lumen-1.12.0-x64.msi" })).toBeVisible();

    await page.getByRole("button", { name: "Read more Version 1 ends" }).click();
    await expect(page.getByRole("dialog", { name: "Version 1 ends" })).toContainText("The end.");
    await page.getByRole("button", { name: "Close" }).click();
    await expect(page.getByRole("dialog")).toBeHidden();

    await expect(page.locator(".line > li")).toHaveCount(12);
    await page.getByRole("link", { name: "Older versions" }).click();
    await expect(page.locator(".line > li")).toHaveCount(2);
    await page.getByRole("link", { name: "1.0.0" }).click();
    await expect(page).toHaveTitle("Lumen Notes 1.0.0");
  });

  test("a visitor gets the download for the own system, and what changed since the own version", async ({ page, server, project }) => {
    await publish(server, project);
    await page.setExtraHTTPHeaders({ "user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36" });
    await page.goto(`${server.url}/`);
    await page.locator(`main a[href="/projects/${project}"]`).click();
    const offer = page.getByRole("link", { name: "Download for Windows" });
    await expect(offer).toHaveAttribute("href", "https://dl.example/lumen-1.13.0-x64.msi");
    await expect(page.getByRole("heading", { name: "Other downloads" })).toBeVisible();
    await page.getByLabel("What changed since version").selectOption("1.10.0");
    await page.getByRole("button", { name: "Show" }).click();
    await expect(page).toHaveURL(`${server.url}/projects/${project}?since=1.10.0`);
    await expect(page.locator(".line h3")).toHaveText(["1.13.0", "1.12.0", "1.11.0"]);
    await page.getByRole("link", { name: "Back to the project" }).click();
    await expect(offer).toBeVisible();
  });

  test("the reference is searched and read", async ({ page, server }) => {
    await page.goto(`${server.url}/doc`);
    await page.getByRole("searchbox").fill("webhook secret");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("article").getByRole("link", { name: "Set the secret of the release webhook" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Set the secret of the release webhook");
    await expect(page.getByRole("heading", { name: "Body" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Try it" })).toBeHidden();
  });
});

test("a dialog is opened and closed by keyboard, and focus returns", async ({ page, server, project }) => {
  await publish(server, project);
  await page.goto(`${server.url}/projects/${project}`);
  const open = page.getByRole("button", { name: "Read more Version 1 ends" });
  await open.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Version 1 ends" });
  await expect(dialog).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(open).toBeFocused();
});

test.describe("in Chinese", () => {
  test.use({ locale: "zh-CN" });

  test("pages follow the language of the browser until another one is chosen", async ({ page, server, project }) => {
    await publish(server, project);
    await page.goto(`${server.url}/projects/${project}`);
    await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
    await expect(page.getByRole("heading", { name: "最新版本" })).toBeVisible();
    await page.getByRole("link", { name: "English" }).click();
    await expect(page.getByRole("heading", { name: "Latest version" })).toBeVisible();
  });
});

test("a request is tried from the reference", async ({ page, server, project }) => {
  await publish(server, project);
  await page.goto(`${server.url}/doc/checkForUpdate`);
  await page.getByLabel("k", { exact: true }).fill(project);
  await page.getByRole("textbox", { name: "Body" }).fill('{"current_version": "1.2.0"}');
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.locator(".try").getByRole("status")).toContainText("200 OK");
  await expect(page.locator(".try").getByRole("status")).toContainText('"should_update": true');

  await page.goto(`${server.url}/doc/getAdminProfile`);
  await page.getByLabel("API key or login token").fill(await server.login());
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.locator(".try").getByRole("status")).toContainText('"username": "admin"');
  await page.getByRole("searchbox").fill("webhook random");
  await expect(page.getByRole("navigation", { name: "Contents" }).getByRole("listitem")).toHaveText([
    "Give the release webhook a new random secret",
  ]);
});
